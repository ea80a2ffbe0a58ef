/* What `lycosa.store.disk_frontier` and the modules beside it do for each link of a page, for each lease, and for each
 * change at a checkpoint, on the very objects that they hold; they explain it. Tests compare the two.
 *
 * What is not plain is left to Python: a function says so, or calls the one of Python that it was given. */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef SOURCE
#define SOURCE 0 /* the CRC-32 of this file, which the build gives */
#endif

enum { KEPT = 8, POINTER = 21, MARK = 5, RANK = 16, LONGEST_KEY = 33, LINK = 10 };
static const uint64_t SIGN = (uint64_t)1 << 63;

#ifdef __GNUC__
#define AHEAD(address) __builtin_prefetch(address) /* it is read soon */
#else
#define AHEAD(address) ((void)(address))
#endif

/* -- objects ----------------------------------------------------------------------------------------------------- */

#define NAMES(X)                                                                                                       \
    X(url) X(host) X(address) X(address_until) X(host_until) X(in_trouble) X(key) X(order) X(depth) X(attempt)         \
    X(via) X(way) X(was) X(again) X(pointer) X(queue) X(score) X(tier) X(refetch) X(not_before) X(source) X(target)    \
    X(anchor) X(context) X(heading) X(path) X(position) X(rel) X(nofollow) X(in_nav) X(count) X(fresh) X(stored)       \
    X(at) X(width) X(bound) X(more) X(head) X(put) X(tie) X(_changed) X(_settled) X(_rows) X(_leased)         \
    X(_queues) X(_turns) X(_order) X(_pending) X(_source) X(_source_depth) X(_hosts) X(_dead) X(_ahead)                \
    X(_rows_ahead) X(_touched) X(_read_on) X(_log) X(file) X(_tables) X(_sweep) X(_sweep_shut) X(_come_forward)      \
    X(_desk) X(value) X(valid) X(next)
enum {
#define X(name) N_##name,
    NAMES(X)
#undef X
        N_COUNT
};
static const char *const SPELLED[] = {
#define X(name) #name,
    NAMES(X)
#undef X
};
static PyObject *names[N_COUNT], *no_bytes, *no_text, *no_things;

/* A class of records, and where the fields of its objects lie. To look there takes a tenth of the time of asking for an
 * attribute, and a link of a page takes forty of them. */
enum { CLASSES = 8, SHORTEST = sizeof(PyObject), MOST_FIELDS = 16 };
typedef struct {
    PyTypeObject *type;
    unsigned short at[N_COUNT]; /* 0: it has no such field */
    unsigned short all[MOST_FIELDS];
    int count;        /* of all fields; 0: objects are made by calling the class */
    const int *named; /* the fields that were given to the last object that was made so, */
    PyObject *like;   /* and that object: it has the others by default */
} Class;
static Class classes[CLASSES];
static int known_classes;

/* Where the field of an object lies; NULL if its class is not known, or has none of this name. */
static void *field_of(PyObject *object, int name) {
    const PyTypeObject *type = Py_TYPE(object);
    for (int i = 0; i < known_classes; i++)
        if (classes[i].type == type) return classes[i].at[name] ? (char *)object + classes[i].at[name] : NULL;
    return NULL;
}

static PyObject *attribute(PyObject *object, int name) {
    const void *field = field_of(object, name);
    PyObject *found = NULL;
    if (field) memcpy(&found, field, sizeof found);
    return found ? Py_NewRef(found) : PyObject_GetAttr(object, names[name]);
}

static int set_attribute(PyObject *object, int name, PyObject *value) {
    void *field = field_of(object, name);
    PyObject *before;
    if (field == NULL) return PyObject_SetAttr(object, names[name], value);
    memcpy(&before, field, sizeof before);
    memcpy(field, &(PyObject *){Py_NewRef(value)}, sizeof value);
    Py_XDECREF(before);
    return 0;
}

#define ATTR(object, name) attribute(object, N_##name)
#define SET(object, name, value) set_attribute(object, N_##name, value)

/* Looks up an attribute that is no more than looked at. The object keeps it. NULL and an error if there is none. */
#define LOOK(object, name) looked_at(ATTR(object, name))
static PyObject *looked_at(PyObject *found) {
    Py_XDECREF(found);
    return found;
}

/* Finds a field among the words of an object of which it holds this value; 0 if it is in none of them. */
static unsigned short place_among(PyObject *object, size_t size, PyObject *value) {
    for (size_t at = SHORTEST; at + sizeof value <= size && at <= UINT16_MAX; at += sizeof value)
        if (!memcmp((const char *)object + at, &value, sizeof value)) return (unsigned short)at;
    return 0;
}

static void put_in(PyObject *object, unsigned short at, PyObject *value) {
    memcpy((char *)object + at, &(PyObject *){Py_NewRef(value)}, sizeof value);
}

/* An object whose fields hold what those of another one do. */
static PyObject *twin_of(const Class *class, PyObject *other) {
    PyObject *made = PyType_GenericAlloc(class->type, 0), *value;
    for (int i = 0; made && i < class->count; i++) {
        memcpy(&value, (const char *)other + class->all[i], sizeof value);
        if (value) put_in(made, class->all[i], value);
    }
    return made;
}

/* Makes an object of a class with these fields, whose values it takes; the others are as they are by default. NULL and an
 * error if a value is missing. `named` is the same, and lasts, wherever the same fields are named. */
static PyObject *record(PyObject *type, const int *named, PyObject **values, int count) {
    Class *class = NULL;
    PyObject *made = NULL, *given = NULL;
    int all = 1;
    for (int i = 0; i < count; i++) all = all && values[i];
    for (int i = 0; i < known_classes; i++)
        if (classes[i].type == (PyTypeObject *)type && classes[i].count) class = classes + i;
    if (all && class && class->named == named) {
        made = twin_of(class, class->like);
        for (int i = 0; made && i < count; i++) set_attribute(made, named[i], values[i]);
    } else if (all && (given = PyDict_New()) != NULL) {
        for (int i = 0; all && i < count; i++) all = PyDict_SetItem(given, names[named[i]], values[i]) == 0;
        made = all ? PyObject_Call(type, no_things, given) : NULL;
        Py_DECREF(given);
        if (made && class) {
            Py_XDECREF(class->like);
            class->named = named, class->like = Py_NewRef(made);
        }
    }
    for (int i = 0; i < count; i++) Py_XDECREF(values[i]);
    return made;
}

/* An object of a class, each field of which holds another value, in the order of their names. */
static PyObject *sample_of(PyObject *type, PyObject *fields, PyObject *values) {
    PyObject *named = PyDict_New(), *made = NULL;
    for (Py_ssize_t i = 0; named && i < PyTuple_Size(fields); i++) {
        PyObject *value = PyObject_CallNoArgs((PyObject *)&PyBaseObject_Type);
        int done = value && PyList_Append(values, value) == 0 &&
                   PyDict_SetItem(named, PyTuple_GetItem(fields, i), value) == 0;
        Py_XDECREF(value);
        if (!done) Py_CLEAR(named);
    }
    if (named) made = PyObject_Call(type, no_things, named);
    Py_XDECREF(named);
    return made;
}

/* Finds out whether objects of a class with so many fields can be made without calling it: the collector of garbage does not
 * look at them, and one with the fields of a sample is equal to it. 0 with an error. */
static int try_to_make(Class *class, Py_ssize_t fields, PyObject *sample) {
    if (fields > MOST_FIELDS || PyType_GetFlags(class->type) & Py_TPFLAGS_HAVE_GC) return 1;
    class->count = (int)fields;
    PyObject *made = twin_of(class, sample);
    int same = made ? PyObject_RichCompareBool(made, sample, Py_EQ) : -1;
    if (same < 1) class->count = 0;
    Py_XDECREF(made);
    return same >= 0;
}

/* know(class of records) -> it. From now on its fields are looked at where they lie, if each lies in a word of its own. */
static PyObject *know(PyObject *module, PyObject *type) {
    (void)module;
    for (int i = 0; i < known_classes; i++)
        if ((PyObject *)classes[i].type == type) return Py_NewRef(type);
    PyObject *fields = PyObject_GetAttrString(type, "__struct_fields__"), *values = fields ? PyList_New(0) : NULL;
    PyObject *bytes = values ? PyObject_GetAttrString(type, "__basicsize__") : NULL, *sample = NULL;
    Class made = {.type = (PyTypeObject *)type};
    if (bytes && PyTuple_Check(fields)) sample = sample_of(type, fields, values);
    size_t size = sample ? PyLong_AsSize_t(bytes) : 0;
    int all = size > 0 && !PyErr_Occurred() && known_classes < CLASSES;
    for (Py_ssize_t i = 0; all && i < PyTuple_Size(fields); i++) {
        unsigned short at = place_among(sample, size, PyList_GetItem(values, i));
        all = at > 0;
        if (i < MOST_FIELDS) made.all[i] = at;
        for (int name = 0; name < N_COUNT; name++)
            if (PyUnicode_Compare(PyTuple_GetItem(fields, i), names[name]) == 0) made.at[name] = at;
    }
    if (all && try_to_make(&made, PyTuple_Size(fields), sample)) {
        classes[known_classes++] = made;
        Py_INCREF(type); /* for as long as the process lives */
    }
    Py_XDECREF(fields), Py_XDECREF(values), Py_XDECREF(bytes), Py_XDECREF(sample);
    return PyErr_Occurred() ? NULL : Py_NewRef(type);
}

typedef struct {
    const unsigned char *at;
    size_t length;
} Span;

/* The bytes of an object; 0 and an error if it has none. */
static int bytes_of(PyObject *object, Span *span) {
    char *at;
    Py_ssize_t length;
    if (object == NULL || PyBytes_AsStringAndSize(object, &at, &length) < 0) return 0;
    *span = (Span){(const unsigned char *)at, (size_t)length};
    return 1;
}

static int utf8_of(PyObject *object, Span *span) {
    Py_ssize_t length;
    const char *at = object ? PyUnicode_AsUTF8AndSize(object, &length) : NULL;
    if (at == NULL) return 0;
    *span = (Span){(const unsigned char *)at, (size_t)length};
    return 1;
}

static int compare(Span one, Span other) {
    size_t n = one.length < other.length ? one.length : other.length;
    int found = memcmp(one.at, other.at, n);
    return found ? found : (one.length > other.length) - (one.length < other.length);
}

static int same(Span one, Span other) { return one.length == other.length && !memcmp(one.at, other.at, one.length); }

/* A whole number of an object; 0 and an error if it is none, or too great. */
static int whole_of(PyObject *object, int64_t *number) {
    if (object == NULL) return 0;
    *number = PyLong_AsLongLong(object);
    return *number != -1 || !PyErr_Occurred();
}

static int put_number(PyObject *object, int name, int64_t number) {
    PyObject *made = PyLong_FromLongLong(number);
    int done = made && set_attribute(object, name, made) == 0;
    Py_XDECREF(made);
    return done;
}

static int call(PyObject *own, int name, PyObject *argument) {
    PyObject *said = PyObject_CallMethodObjArgs(own, names[name], argument, NULL);
    Py_XDECREF(said);
    return said != NULL;
}

/* The entry of a dictionary, which keeps it; NULL if there is none, or with an error. */
static PyObject *entry(PyObject *dict, PyObject *key) { return PyDict_GetItemWithError(dict, key); }

/* -- runs of bytes ------------------------------------------------------------------------------------------------ */

typedef struct {
    unsigned char *bytes;
    size_t length, room;
} Run;

/* Room for n bytes more, which are counted; NULL and an error if there is none. */
static unsigned char *more_of(Run *run, size_t n) {
    if (run->length + n > run->room) {
        size_t room = 2 * (run->length + n) + 256;
        unsigned char *bytes = realloc(run->bytes, room);
        if (bytes == NULL) {
            PyErr_NoMemory();
            return NULL;
        }
        run->bytes = bytes, run->room = room;
    }
    run->length += n;
    return run->bytes + run->length - n;
}

static void be(unsigned char *at, uint64_t number, unsigned wide) {
    for (unsigned i = wide; i--; number >>= 8) at[i] = (unsigned char)number;
}

static uint64_t from_be(const unsigned char *at, unsigned wide) {
    uint64_t number = 0;
    for (unsigned i = 0; i < wide; i++) number = number << 8 | at[i];
    return number;
}

static int add(Run *run, const void *bytes, size_t n) {
    unsigned char *at = more_of(run, n);
    if (at) memcpy(at, bytes, n);
    return at != NULL;
}

static int add_byte(Run *run, unsigned char byte) { return add(run, &byte, 1); }

static int add_number(Run *run, unsigned char mark, uint64_t number, unsigned wide) {
    unsigned char *at = more_of(run, 1 + wide);
    if (at) *at = mark, be(at + 1, number, wide);
    return at != NULL;
}

/* -- MessagePack, as msgspec writes it ------------------------------------------------------------------------- */

static int pack_whole(Run *run, PyObject *object) {
    int64_t n;
    if (!PyLong_CheckExact(object) || !whole_of(object, &n)) return 0;
    if (n >= 0) {
        if (n < 0x80) return add_byte(run, (unsigned char)n);
        unsigned step = n <= 0xFF ? 0 : n <= 0xFFFF ? 1 : n <= 0xFFFFFFFF ? 2 : 3;
        return add_number(run, (unsigned char)(0xCC + step), (uint64_t)n, 1u << step);
    }
    if (n >= -32) return add_byte(run, (unsigned char)n);
    unsigned step = n >= INT8_MIN ? 0 : n >= INT16_MIN ? 1 : n >= INT32_MIN ? 2 : 3;
    return add_number(run, (unsigned char)(0xD0 + step), (uint64_t)n, 1u << step);
}

static int pack_text(Run *run, PyObject *object) {
    Span text;
    if (!PyUnicode_CheckExact(object) || !utf8_of(object, &text)) return 0;
    size_t n = text.length;
    int begun = n < 32        ? add_byte(run, (unsigned char)(0xA0 | n))
                : n <= 0xFF   ? add_number(run, 0xD9, n, 1)
                : n <= 0xFFFF ? add_number(run, 0xDA, n, 2)
                              : n <= 0xFFFFFFFF && add_number(run, 0xDB, n, 4);
    return begun && add(run, text.at, n);
}

static int pack_bytes(Run *run, PyObject *object) {
    Span bytes;
    if (!PyBytes_CheckExact(object) || !bytes_of(object, &bytes)) return 0;
    size_t n = bytes.length;
    int begun = n <= 0xFF     ? add_number(run, 0xC4, n, 1)
                : n <= 0xFFFF ? add_number(run, 0xC5, n, 2)
                              : n <= 0xFFFFFFFF && add_number(run, 0xC6, n, 4);
    return begun && add(run, bytes.at, n);
}

static int pack_floating(Run *run, PyObject *object) {
    if (!PyFloat_CheckExact(object)) return 0;
    double number = PyFloat_AsDouble(object);
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return add_number(run, 0xCB, bits, 8);
}

static int pack_truth(Run *run, PyObject *object) {
    if (object != Py_True && object != Py_False) return 0;
    return add_byte(run, object == Py_True ? 0xC3 : 0xC2);
}

static const int OF_LINKS[LINK] = {N_source, N_target,   N_anchor, N_context,  N_heading,
                                   N_path,   N_position, N_rel,    N_nofollow, N_in_nav};

/* Appends the link to this URL as `pack_link` packs it; 0, with or without an error, if it is not plain. */
static int pack_link(Run *run, PyObject *link, PyObject *url) {
    static int (*const PACK[LINK])(Run *, PyObject *) = {pack_text, pack_text,     pack_text, pack_text,  pack_text,
                                                         pack_text, pack_floating, pack_text, pack_truth, pack_truth};
    int done = add_byte(run, 0x90 | LINK);
    for (int i = 0; done && i < LINK; i++) {
        PyObject *part = attribute(link, OF_LINKS[i]);
        if (part && OF_LINKS[i] == N_target && (part == url || PyObject_RichCompareBool(part, url, Py_EQ) == 1))
            done = add_byte(run, 0xC0);
        else
            done = part && PACK[i](run, part);
        Py_XDECREF(part);
    }
    return done;
}

/* Appends the record of a place as `pack_place` packs it; 0, with or without an error, if it is not plain. */
static int pack_record(Run *run, PyObject *place) {
    static const int WHOLE[] = {N_order, N_depth, N_attempt};
    PyObject *was = LOOK(place, was), *way = LOOK(place, way), *url = LOOK(place, url), *via = LOOK(place, via);
    if (was != Py_None || way == NULL || PyObject_IsTrue(way) || url == NULL || via == NULL) return 0;
    int done = add_byte(run, 0x95) && pack_text(run, url);
    for (int i = 0; done && i < 3; i++) {
        PyObject *number = attribute(place, WHOLE[i]);
        done = number && pack_whole(run, number);
        Py_XDECREF(number);
    }
    return done && (via == Py_None ? add_byte(run, 0xC0) : pack_bytes(run, via));
}

/* -- keys ---------------------------------------------------------------------------------------------------------- */

/* The beginning of the key of a command, up to its tie-break: see `sort_key`. 0, with or without an error, if that is
 * not plain. */
static int rank_of(PyObject *command, unsigned char *rank) {
    int64_t tier;
    PyObject *score = LOOK(command, score);
    if (score == NULL || !PyFloat_CheckExact(score) || !whole_of(LOOK(command, tier), &tier)) return 0;
    double number = PyFloat_AsDouble(score);
    uint64_t bits;
    number = -number;
    if (number < 0) {
        memcpy(&bits, &number, sizeof bits);
        bits = ~bits;
    } else {
        number = -(number + 0.0); /* no minus zero */
        memcpy(&bits, &number, sizeof bits);
    }
    be(rank, (uint64_t)tier ^ SIGN, 8);
    be(rank + 8, bits, 8);
    return number == number;
}

/* The host of a URL: what stands between its second stroke and the third. 0 if there is none. */
static int host_of(Span url, Span *host) {
    const unsigned char *end = url.at + url.length, *at = memchr(url.at, '/', url.length);
    if (at == NULL || (at = memchr(at + 1, '/', (size_t)(end - at - 1))) == NULL) return 0;
    at++;
    const unsigned char *stop = memchr(at, '/', (size_t)(end - at));
    *host = (Span){at, (size_t)((stop ? stop : end) - at)};
    return 1;
}

/* A row's name, of a letter, a text and what may follow. */
static PyObject *row_name(char letter, PyObject *text, const void *rest, size_t n) {
    Span name;
    if (!utf8_of(text, &name)) return NULL;
    PyObject *made = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(1 + name.length + n));
    if (made == NULL) return NULL;
    char *at = PyBytes_AsString(made);
    *at = letter;
    memcpy(at + 1, name.at, name.length);
    if (n) memcpy(at + 1 + name.length, rest, n);
    return made;
}

/* Calls a method with a row's name and, unless it is NULL, the row; takes both. */
static int tell(PyObject *method, PyObject *name, PyObject *row, int with_row) {
    PyObject *said = name && (row || !with_row) ? PyObject_CallFunctionObjArgs(method, name, row, NULL) : NULL;
    Py_XDECREF(name), Py_XDECREF(row), Py_XDECREF(said);
    return said != NULL;
}

/* -- heaps, which lie in their lists as those of heapq do --------------------------------------------------------- */

/* Whether an entry stands before another one: 1, 0, or -1 with an error. */
static int stands_before(PyObject *one, PyObject *other) {
    if (PyTuple_CheckExact(one) && PyTuple_CheckExact(other) && PyTuple_Size(one) > 0 && PyTuple_Size(other) > 0) {
        PyObject *a = PyTuple_GetItem(one, 0), *b = PyTuple_GetItem(other, 0);
        if (PyBytes_CheckExact(a) && PyBytes_CheckExact(b)) {
            Span first, second;
            if (!bytes_of(a, &first) || !bytes_of(b, &second)) return -1;
            int found = compare(first, second);
            if (found) return found < 0;
        } else if (PyLong_CheckExact(a) && PyLong_CheckExact(b)) {
            int before = 0, after = 0; /* 1 and -1: it does not fit */
            long long first = PyLong_AsLongLongAndOverflow(a, &before), second = PyLong_AsLongLongAndOverflow(b, &after);
            if (!before && !after && first != second) return first < second;
        }
    }
    Py_INCREF(one), Py_INCREF(other);
    int found = PyObject_RichCompareBool(one, other, Py_LT);
    Py_DECREF(one), Py_DECREF(other);
    return found;
}

/* Puts what stands at one place of a heap at another one. */
static int move(PyObject *heap, Py_ssize_t from, Py_ssize_t to) {
    PyObject *moved = PyList_GetItem(heap, from);
    return moved && PyList_SetItem(heap, to, Py_NewRef(moved)) == 0;
}

/* Lets an entry rise from a free place to where it belongs; takes it. */
static int rise(PyObject *heap, Py_ssize_t at, PyObject *rising) {
    int before = 0;
    for (; at > 0; at = (at - 1) / 2) {
        PyObject *above = PyList_GetItem(heap, (at - 1) / 2);
        before = above ? stands_before(rising, above) : -1;
        if (before < 1 || !move(heap, (at - 1) / 2, at)) break;
    }
    return PyList_SetItem(heap, at, rising) == 0 && before >= 0;
}

static int push(PyObject *heap, PyObject *coming) {
    Py_ssize_t n = PyList_Size(heap);
    return n >= 0 && PyList_Append(heap, coming) == 0 && rise(heap, n, Py_NewRef(coming));
}

/* Puts an entry, which it takes, in place of the first one, which it answers. */
static PyObject *replace_first(PyObject *heap, PyObject *coming) {
    PyObject *first = PyList_GetItem(heap, 0);
    Py_XINCREF(first);
    Py_ssize_t n = PyList_Size(heap), at = 0;
    int fine = first != NULL;
    for (Py_ssize_t below; fine && (below = 2 * at + 1) < n; at = below) {
        if (below + 1 < n) {
            PyObject *left = PyList_GetItem(heap, below), *right = PyList_GetItem(heap, below + 1);
            int before = left && right ? stands_before(left, right) : -1;
            if (before < 0) break;
            below += !before;
        }
        fine = move(heap, below, at);
    }
    fine = rise(heap, at, coming) && fine && !PyErr_Occurred();
    if (!fine) Py_CLEAR(first);
    return first;
}

/* heappush(heap, entry) */
static PyObject *heappush(PyObject *module, PyObject *const *args, Py_ssize_t n) {
    (void)module;
    if (n != 2 || !PyList_Check(args[0])) return PyErr_Format(PyExc_TypeError, "a list and an entry are asked for");
    return push(args[0], args[1]) ? Py_NewRef(Py_None) : NULL;
}

/* heappop(heap) -> its first entry */
static PyObject *heappop(PyObject *module, PyObject *heap) {
    (void)module;
    if (!PyList_Check(heap)) return PyErr_Format(PyExc_TypeError, "a list is asked for");
    Py_ssize_t n = PyList_Size(heap);
    PyObject *last = PyList_GetItem(heap, n - 1);
    if (last == NULL) return NULL;
    Py_INCREF(last);
    if (PyList_SetSlice(heap, n - 1, n, NULL) < 0) {
        Py_DECREF(last);
        return NULL;
    }
    return n == 1 ? last : replace_first(heap, last);
}

/* -- heads of hosts, flat ---------------------------------------------------------------------------------------- */

enum { BEGIN = 3 }; /* numbers in which the beginning of a key is held */

/* A key and a host. What is compared first lies in the entry itself: most keys of bytes are no longer. */
typedef struct {
    uint64_t begin[BEGIN];
    PyObject *key, *host;
} Entry;

/* A heap of them, as `lycosa.frontier.heads` explains. */
typedef struct {
    PyObject_HEAD
    Entry *entries;
    size_t count, room;
} Heads;
static PyTypeObject *heads_type;

static Entry entry_of(PyObject *key, PyObject *host) {
    Entry made = {{0}, key, host};
    unsigned char begin[8 * BEGIN] = {0};
    Span bytes;
    if (PyBytes_CheckExact(key) && bytes_of(key, &bytes)) {
        memcpy(begin, bytes.at, bytes.length < sizeof begin ? bytes.length : sizeof begin);
        for (int i = 0; i < BEGIN; i++) made.begin[i] = from_be(begin + 8 * i, 8);
    }
    return made;
}

/* Whether one comes before another: 1, 0, or -1 with an error. */
static int comes_before(const Entry *one, const Entry *other) {
    for (int i = 0; i < BEGIN; i++)
        if (one->begin[i] != other->begin[i]) return one->begin[i] < other->begin[i];
    int found = PyObject_RichCompareBool(one->key, other->key, Py_EQ);
    if (found < 0) return -1;
    return found ? PyObject_RichCompareBool(one->host, other->host, Py_LT)
                 : PyObject_RichCompareBool(one->key, other->key, Py_LT);
}

/* Lets an entry rise from a free place to where it belongs. */
static int rise_flat(Entry *entries, size_t at, Entry rising) {
    int before = 0;
    for (; at > 0 && (before = comes_before(&rising, entries + (at - 1) / 2)) > 0; at = (at - 1) / 2)
        entries[at] = entries[(at - 1) / 2];
    entries[at] = rising;
    return before >= 0;
}

/* Lets an entry sink from the first place, which is free, to where it belongs: down to the end, and up again, for it came
 * from there. */
static int sink_flat(Entry *entries, size_t count, Entry sinking) {
    int fine = 1;
    size_t at = 0;
    for (size_t below; fine && (below = 2 * at + 1) < count; at = below) {
        if (below + 1 < count) {
            int before = comes_before(entries + below + 1, entries + below);
            fine = before >= 0;
            below += before > 0;
        }
        entries[at] = entries[below];
    }
    return rise_flat(entries, at, sinking) && fine;
}

static int push_flat(Heads *heads, PyObject *key, PyObject *host) {
    if (heads->count == heads->room) {
        size_t room = heads->room + heads->room / 2 + 8;
        Entry *entries = realloc(heads->entries, room * sizeof *entries);
        if (entries == NULL) {
            PyErr_NoMemory();
            return 0;
        }
        heads->entries = entries, heads->room = room;
    }
    return rise_flat(heads->entries, heads->count++, entry_of(Py_NewRef(key), Py_NewRef(host)));
}

/* Takes out the first entry, whose objects are the caller's then. There is one. */
static int pop_flat(Heads *heads, Entry *first) {
    *first = heads->entries[0];
    Entry last = heads->entries[--heads->count];
    return heads->count == 0 || sink_flat(heads->entries, heads->count, last);
}

static void clear_flat(Heads *heads) {
    while (heads->count) {
        Entry last = heads->entries[--heads->count];
        Py_DECREF(last.key), Py_DECREF(last.host);
    }
}

static void heads_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    clear_flat((Heads *)self);
    free(((Heads *)self)->entries);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static Py_ssize_t heads_length(PyObject *self) { return (Py_ssize_t)((Heads *)self)->count; }

/* push(key, host) */
static PyObject *heads_push(PyObject *self, PyObject *const *args, Py_ssize_t n) {
    if (n != 2) return PyErr_Format(PyExc_TypeError, "a key and a host are asked for");
    return push_flat((Heads *)self, args[0], args[1]) ? Py_NewRef(Py_None) : NULL;
}

static PyObject *no_entry(void) { return PyErr_Format(PyExc_IndexError, "there are no heads"); }

/* first() -> the smallest key and its host */
static PyObject *heads_first(PyObject *self, PyObject *nothing) {
    (void)nothing;
    const Heads *heads = (Heads *)self;
    return heads->count ? PyTuple_Pack(2, heads->entries->key, heads->entries->host) : no_entry();
}

/* pop() -> the same, which are gone then */
static PyObject *heads_pop(PyObject *self, PyObject *nothing) {
    (void)nothing;
    Entry first;
    if (((Heads *)self)->count == 0) return no_entry();
    int fine = pop_flat((Heads *)self, &first);
    PyObject *made = fine ? PyTuple_Pack(2, first.key, first.host) : NULL;
    Py_DECREF(first.key), Py_DECREF(first.host);
    return made;
}

/* entries() -> all of them, in no order */
static PyObject *heads_entries(PyObject *self, PyObject *nothing) {
    (void)nothing;
    const Heads *heads = (Heads *)self;
    PyObject *made = PyList_New((Py_ssize_t)heads->count);
    for (size_t i = 0; made && i < heads->count; i++) {
        PyObject *pair = PyTuple_Pack(2, heads->entries[i].key, heads->entries[i].host);
        if (pair == NULL || PyList_SetItem(made, (Py_ssize_t)i, pair) < 0) Py_CLEAR(made);
    }
    return made;
}

/* become(entries): holds these only */
static PyObject *heads_become(PyObject *self, PyObject *given) {
    PyObject *each = PyObject_GetIter(given), *pair, *key, *host;
    if (each == NULL) return NULL;
    clear_flat((Heads *)self);
    while ((pair = PyIter_Next(each))) {
        int done = PyArg_ParseTuple(pair, "OO", &key, &host) && push_flat((Heads *)self, key, host);
        Py_DECREF(pair);
        if (!done) break;
    }
    Py_DECREF(each);
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

static PyMethodDef heads_methods[] = {
    {"push", (PyCFunction)(void (*)(void))heads_push, METH_FASTCALL, "Takes in a key and a host."},
    {"first", heads_first, METH_NOARGS, "The smallest key and its host."},
    {"pop", heads_pop, METH_NOARGS, "The same, which are gone then."},
    {"entries", heads_entries, METH_NOARGS, "All of them, in no order."},
    {"become", heads_become, METH_O, "Holds these only."},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot heads_slots[] = {{Py_tp_dealloc, heads_dealloc},
                                    {Py_tp_methods, heads_methods},
                                    {Py_sq_length, heads_length},
                                    {0, NULL}};
static PyType_Spec heads_spec = {"lycosa.frontier._queues.Heads", sizeof(Heads), 0, Py_TPFLAGS_DEFAULT, heads_slots};

/* -- queues -------------------------------------------------------------------------------------------------------- */

/* A queue that holds all this; it takes the objects but for `more`. */
static PyObject *queue_of(PyObject *type, int64_t count, PyObject *fresh, PyObject *stored, int64_t at, int64_t width,
                          PyObject *bound, PyObject *more, PyObject *head) {
    static const int NAMED[] = {N_count, N_fresh, N_stored, N_at, N_width, N_bound, N_more, N_head};
    PyObject *values[] = {PyLong_FromLongLong(count), fresh, stored, PyLong_FromLongLong(at),
                          PyLong_FromLongLong(width), bound, Py_NewRef(more), head};
    return record(type, NAMED, values, sizeof NAMED / sizeof *NAMED);
}

static const int OF_PLACES[] = {N_url, N_host, N_key, N_order, N_depth, N_attempt, N_via, N_pointer};

/* The place of a URL; it takes `via` and `pointer`. */
static PyObject *place_of(PyObject *type, PyObject *url, PyObject *host, PyObject *key, int64_t order, int64_t depth,
                          int64_t attempt, PyObject *via, PyObject *pointer) {
    PyObject *values[] = {Py_XNewRef(url), Py_XNewRef(host), Py_XNewRef(key), PyLong_FromLongLong(order),
                          PyLong_FromLongLong(depth), PyLong_FromLongLong(attempt), via, pointer};
    return record(type, OF_PLACES, values, sizeof OF_PLACES / sizeof *OF_PLACES);
}

/* The key of the best that is stored in a queue: 1 if there is one, 0 if not, -1 with an error. */
static int best_stored(PyObject *queue, Span *key) {
    int64_t at, width;
    Span stored;
    if (!bytes_of(LOOK(queue, stored), &stored) || !whole_of(LOOK(queue, at), &at) ||
        !whole_of(LOOK(queue, width), &width))
        return -1;
    if (at < 0 || (uint64_t)at >= stored.length) return 0;
    if (width < POINTER || (uint64_t)(at + width) > stored.length) {
        PyErr_SetString(PyExc_ValueError, "a place is cut off");
        return -1;
    }
    *key = (Span){stored.at + at, (size_t)(width - POINTER)};
    return 1;
}

/* The row of a place that is stored in a queue; 0, with or without an error, if memory does not have it. */
static int stored_row(PyObject *queue, Span key, Span *row) {
    Span stored;
    int64_t at, width;
    if (!bytes_of(LOOK(queue, stored), &stored) || !whole_of(LOOK(queue, at), &at) ||
        !whole_of(LOOK(queue, width), &width) || at < 0 || width < POINTER || (size_t)width != key.length + POINTER)
        return 0;
    for (size_t from = (size_t)at; from + (size_t)width <= stored.length; from += (size_t)width) {
        if (memcmp(stored.at + from, key.at, key.length)) continue;
        *row = (Span){stored.at + from + key.length, POINTER};
        return *row->at == 0; /* else it was not read */
    }
    return 0;
}

/* Notes in a queue that a URL waits there under this key, which it did under another one `before`, if that is not empty:
 * 1 if it may be its head now, and a better one than there was, 0 if not, -1 with an error. */
static int place_in(PyObject *queue, PyObject *key, PyObject *url, Span before) {
    Span own, head, stored;
    PyObject *fresh = ATTR(queue, fresh), *coming = PyTuple_Pack(2, key, url), *first;
    int better = -1, found;
    if (fresh == NULL || coming == NULL || !PyList_Check(fresh) || !push(fresh, coming)) goto end;
    if (!bytes_of(key, &own) || !bytes_of(LOOK(queue, head), &head)) goto end;
    if (head.length) {
        better = compare(own, head) < 0;
        if (better && SET(queue, head, key) < 0) better = -1;
        if (better || !same(before, head)) goto end;
        better = -1;
        if (SET(queue, head, no_bytes) < 0) goto end;
    }
    first = PyTuple_GetItem(PyList_GetItem(fresh, 0), 1);
    if (first == NULL || (better = PyObject_RichCompareBool(first, url, Py_EQ)) < 1) goto end;
    found = best_stored(queue, &stored);
    better = found < 1 ? found + 1 : compare(own, stored) < 0;
    if (found < 0) better = -1;
end:
    Py_XDECREF(fresh), Py_XDECREF(coming);
    return better;
}

/* Notes that what the store says of a place is no longer true. */
static int bury(PyObject *dead, PyObject *host, PyObject *key) {
    PyObject *keys = entry(dead, host);
    if (keys) return PySet_Add(keys, key) == 0;
    keys = PyErr_Occurred() ? NULL : PySet_New(NULL);
    int done = keys && PySet_Add(keys, key) == 0 && PyDict_SetItem(dead, host, keys) == 0;
    Py_XDECREF(keys);
    return done;
}

/* Whether a URL stands in the queue of a host under this key, by what is known of it: 1, 0, or -1 with an error. */
static int stands(PyObject *held, PyObject *place_type, PyObject *key, PyObject *host) {
    Span one, other;
    if (held == NULL || Py_TYPE(held) != (PyTypeObject *)place_type) return PyErr_Occurred() ? -1 : 0;
    if (!bytes_of(key, &one) || !bytes_of(LOOK(held, key), &other)) return -1;
    if (!same(one, other)) return 0;
    PyObject *queue = LOOK(held, again) == Py_None ? ATTR(held, host) : ATTR(held, queue);
    int here = queue ? PyObject_RichCompareBool(queue, host, Py_EQ) : -1;
    Py_XDECREF(queue);
    return here;
}

/* -- a page's links ----------------------------------------------------------------------------------------------- */

typedef struct {
    PyObject *changed, *settled, *rows, *leased, *hosts, *touched, *ahead, *dead, *rows_ahead; /* the frontier's tables */
    PyObject *place_type, *enqueue_type, *move_type, *queue_type, *offered;
    PyObject *source; /* where the links stood of which it is known how deep that is */
    int64_t order, pending, source_depth, sign; /* of a tie-break */
    PyObject *host, *queue; /* of the last URL that came to wait */
    Run run;
} Coming;

typedef enum { FAILS = -1, STOPS, PASSES, ENTERS } Course;

/* Whether a place under this key would be better off by a command. */
static Course improved(PyObject *command, Span key) {
    unsigned char rank[RANK];
    if (!rank_of(command, rank)) return STOPS;
    return key.length < RANK || memcmp(rank, key.at, RANK) < 0 ? STOPS : PASSES;
}

/* What is to be done with a command to enqueue, by what is known of its URL. */
static Course course_of(const Coming *own, PyObject *command, PyObject *url) {
    PyObject *held = entry(own->changed, url);
    Span found;
    if (held == NULL) {
        if (PyErr_Occurred()) return FAILS;
        if (entry(own->settled, url)) return PASSES;
        PyObject *row = entry(own->rows, url);
        if (row == NULL) return PyErr_Occurred() ? FAILS : STOPS;
        if (row != Py_None) {
            if (!bytes_of(row, &found)) return FAILS;
            if (found.length < MARK) return STOPS;
            if (*found.at == 'p') return improved(command, (Span){found.at + MARK, found.length - MARK});
            return *found.at == 'v' || *found.at == 'f' ? PASSES : STOPS;
        }
    } else if (PyLong_CheckExact(held)) {
        int64_t outcome;
        if (!whole_of(held, &outcome)) return FAILS;
        return outcome < 0 ? STOPS : PASSES;
    } else if (held != Py_None) {
        if (Py_TYPE(held) != (PyTypeObject *)own->place_type || LOOK(held, again) != Py_None)
            return PyErr_Occurred() ? FAILS : STOPS;
        return bytes_of(LOOK(held, key), &found) ? improved(command, found) : FAILS;
    }
    if (entry(own->leased, url)) return PASSES;
    return PyErr_Occurred() ? FAILS : ENTERS;
}

/* How many links lead to what a command enqueues; -1, with or without an error, if that is to be looked up. */
static int64_t depth_of(const Coming *own, PyObject *command, PyObject *via) {
    int64_t depth;
    PyObject *given = LOOK(command, depth);
    if (given == NULL) return -1;
    if (given != Py_None) return whole_of(given, &depth) ? depth : -1;
    if (via == Py_None) return 0;
    PyObject *source = LOOK(via, source);
    if (source == NULL || own->source == Py_None) return -1;
    return source == own->source || PyObject_RichCompareBool(source, own->source, Py_EQ) == 1 ? own->source_depth + 1
                                                                                               : -1;
}

/* Makes a host, and its queue if it has one, those of the last one. 0 with an error. */
static int go_to(Coming *own, Span host) {
    Span last;
    if (own->host && utf8_of(own->host, &last) && same(last, host)) return 1;
    Py_CLEAR(own->host);
    Py_CLEAR(own->queue);
    own->host = PyUnicode_FromStringAndSize((const char *)host.at, (Py_ssize_t)host.length);
    own->queue = own->host ? entry(own->hosts, own->host) : NULL;
    Py_XINCREF(own->queue);
    return own->host && !PyErr_Occurred() && PyDict_SetItem(own->touched, own->host, Py_None) == 0 &&
           (PyDict_GetItemWithError(own->ahead, own->host) == NULL ? !PyErr_Occurred()
                                                                    : PyDict_DelItem(own->ahead, own->host) == 0);
}

/* The same of the host of a URL. 0 if it has none, or with an error. */
static int go_to_host(Coming *own, PyObject *url) {
    Span text, host;
    return utf8_of(url, &text) && host_of(text, &host) && go_to(own, host);
}

/* Lets a URL wait at the host that was gone to: as `place_in`. */
static int add_to_queue(Coming *own, PyObject *key, PyObject *url) {
    int64_t count;
    if (own->queue) {
        if (!whole_of(LOOK(own->queue, count), &count) || !put_number(own->queue, N_count, count + 1)) return -1;
        return place_in(own->queue, key, url, (Span){(const unsigned char *)"", 0});
    }
    own->queue = queue_of(own->queue_type, 1, Py_BuildValue("[(OO)]", key, url), Py_NewRef(no_bytes), 0, 0,
                          Py_NewRef(no_bytes), Py_False, Py_NewRef(key));
    return own->queue && PyDict_SetItem(own->hosts, own->host, own->queue) == 0 ? 1 : -1;
}

/* The link of a command in a few bytes; NULL, with or without an error, if it is not plain. */
static PyObject *packed_link(Coming *own, PyObject *via, PyObject *url) {
    if (via == Py_None) return Py_NewRef(Py_None);
    own->run.length = 0;
    if (!pack_link(&own->run, via, url)) return NULL;
    return PyBytes_FromStringAndSize((const char *)own->run.bytes, (Py_ssize_t)own->run.length);
}

/* Lets the URL of a command wait, which is new. Nothing is changed where it STOPS. */
static Course enter(Coming *own, PyObject *command, PyObject *url) {
    unsigned char bytes[RANK + 8];
    PyObject *via = ATTR(command, via), *link = NULL, *key = NULL, *place = NULL;
    Course course = STOPS;
    int64_t depth = via ? depth_of(own, command, via) : -1, order = own->order + 1;
    if (depth < 0 || !rank_of(command, bytes)) goto end;
    if ((link = packed_link(own, via, url)) == NULL || !go_to_host(own, url)) goto end;
    be(bytes + RANK, (uint64_t)(own->sign * order) ^ SIGN, 8);
    course = FAILS;
    key = PyBytes_FromStringAndSize((const char *)bytes, sizeof bytes);
    place = place_of(own->place_type, url, own->host, key, order, depth, 1, Py_NewRef(link), Py_NewRef(no_bytes));
    if (place == NULL || PyDict_SetItem(own->changed, url, place) < 0) goto end;
    own->order = order, own->pending++;
    if (own->source != Py_None && PyObject_RichCompareBool(url, own->source, Py_EQ) == 1) own->source = Py_None;
    int better = add_to_queue(own, key, url);
    if (better == 0 || (better == 1 && PyDict_SetItem(own->offered, own->host, Py_None) == 0)) course = ENTERS;
end:
    Py_XDECREF(via), Py_XDECREF(link), Py_XDECREF(key), Py_XDECREF(place);
    return course;
}

/* Takes into memory a URL that waits at its own host, by its row, without reading its record: see `HostQueues.unread`.
 * NULL, with or without an error, if that is not plain. */
static PyObject *take_up(Coming *own, PyObject *url, Span row) {
    Span key = {row.at + MARK, row.length - MARK}, found;
    if (key.length > LONGEST_KEY || !go_to_host(own, url) || own->queue == NULL) return NULL;
    if (!stored_row(own->queue, key, &found)) {
        unsigned char rest[1 + LONGEST_KEY] = {0};
        memcpy(rest + 1, key.at, key.length);
        PyObject *name = PyErr_Occurred() ? NULL : row_name('q', own->host, rest, 1 + key.length);
        PyObject *read = name ? entry(own->rows_ahead, name) : NULL;
        Py_XDECREF(name);
        if (read == NULL || read == Py_None || !bytes_of(read, &found)) return NULL;
    }
    if (found.length != POINTER || *found.at != 0) return NULL;
    PyObject *made = PyBytes_FromStringAndSize((const char *)key.at, (Py_ssize_t)key.length);
    PyObject *place = place_of(own->place_type, url, own->host, made, -1, (int64_t)from_be(found.at + 1, 4), 0,
                               Py_NewRef(Py_None), PyBytes_FromStringAndSize((const char *)found.at, POINTER));
    if (place && (PyDict_SetItem(own->changed, url, place) < 0 || !bury(own->dead, own->host, made))) Py_CLEAR(place);
    Py_XDECREF(made);
    return place;
}

/* Finds the place of a URL that waits. PASSES if it does not. */
static Course find_waiting(Coming *own, PyObject *url, PyObject **place) {
    PyObject *held = entry(own->changed, url), *row;
    Span bytes;
    if (held) {
        if (Py_TYPE(held) != (PyTypeObject *)own->place_type || LOOK(held, again) != Py_None)
            return PyErr_Occurred() ? FAILS : PASSES;
        *place = Py_NewRef(held);
        return bytes_of(LOOK(held, key), &bytes) && utf8_of(LOOK(held, host), &bytes) && go_to(own, bytes) ? ENTERS : FAILS;
    }
    if (PyErr_Occurred() || (row = entry(own->rows, url)) == NULL) return PyErr_Occurred() ? FAILS : STOPS;
    if (row == Py_None) return PASSES;
    if (!bytes_of(row, &bytes)) return FAILS;
    if (bytes.length < MARK + RANK || *bytes.at == 'w') return STOPS;
    if (*bytes.at != 'p') return PASSES;
    *place = take_up(own, url, bytes);
    return *place ? ENTERS : PyErr_Occurred() ? FAILS : STOPS;
}

/* Puts a place under a key that begins so. */
static Course place_anew(Coming *own, PyObject *url, PyObject *place, const unsigned char *rank) {
    Span before;
    int better = -1;
    PyObject *last = ATTR(place, key), *key = NULL;
    if (bytes_of(last, &before) && before.length >= RANK &&
        (key = PyBytes_FromStringAndSize((const char *)before.at, (Py_ssize_t)before.length)) != NULL) {
        memcpy(PyBytes_AsString(key), rank, RANK);
        if (own->queue && SET(place, key, key) == 0) better = place_in(own->queue, key, url, before);
    }
    if (better == 1 && PyDict_SetItem(own->offered, own->host, Py_None) < 0) better = -1;
    Py_XDECREF(last), Py_XDECREF(key);
    return better < 0 ? FAILS : ENTERS;
}

/* Sets the place of a URL, if it waits. */
static Course set_place(Coming *own, PyObject *command) {
    unsigned char rank[RANK];
    PyObject *url = ATTR(command, url), *place = NULL;
    if (url == NULL) return FAILS;
    Course course = rank_of(command, rank) ? find_waiting(own, url, &place) : STOPS;
    if (course == ENTERS) course = place_anew(own, url, place, rank);
    if (course == FAILS && !PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "a place is not where it should be");
    Py_DECREF(url), Py_XDECREF(place);
    return course;
}

static Course obey(Coming *own, PyObject *command) {
    if (Py_TYPE(command) == (PyTypeObject *)own->move_type) return set_place(own, command);
    if (Py_TYPE(command) != (PyTypeObject *)own->enqueue_type) return STOPS;
    PyObject *not_before = LOOK(command, not_before), *refetch = LOOK(command, refetch);
    if (not_before != Py_None || refetch != Py_False) return PyErr_Occurred() ? FAILS : STOPS;
    PyObject *url = ATTR(command, url);
    if (url == NULL) return FAILS;
    Course course = course_of(own, command, url);
    if (course == ENTERS) course = enter(own, command, url);
    Py_DECREF(url);
    return course;
}

/* What is wrong with a command that STOPS is told by Python, to which it is left. */
static Course left_if_not_plain(Course course) {
    if (course != STOPS || !PyErr_Occurred()) return course;
    if (PyErr_ExceptionMatches(PyExc_MemoryError)) return FAILS;
    PyErr_Clear();
    return STOPS;
}

/* Whether a URL is none of what memory knows: 1, 0, or -1 with an error. */
static int is_unknown(PyObject *const *tables, PyObject *url) {
    for (int i = 0; i < 3; i++)
        if (entry(tables[i], url)) return 0;
    return PyErr_Occurred() ? -1 : 1;
}

/* unread(urls or commands, types of commands that have one, changed, settled, rows) -> the URLs that no table has, and the
 * names of their rows */
static PyObject *unread(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *given, *types, *tables[3], *urls = PyList_New(0), *rows = PyList_New(0);
    if (!urls || !rows ||
        !PyArg_ParseTuple(args, "O!O!O!O!O!", &PyList_Type, &given, &PyTuple_Type, &types, &PyDict_Type, &tables[0],
                          &PyDict_Type, &tables[1], &PyDict_Type, &tables[2]))
        goto fails;
    for (Py_ssize_t i = 0; i < PyList_Size(given); i++) {
        PyObject *url = PyList_GetItem(given, i);
        if (!PyUnicode_Check(url)) {
            int known = PySequence_Contains(types, (PyObject *)Py_TYPE(url));
            if (known < 0) goto fails;
            if (!known) continue;
            url = LOOK(url, url);
        }
        int unknown = url ? is_unknown(tables, url) : -1;
        PyObject *row = unknown > 0 ? row_name('u', url, NULL, 0) : NULL;
        int done = !unknown || (row && PyList_Append(urls, url) == 0 && PyList_Append(rows, row) == 0);
        Py_XDECREF(row);
        if (!done) goto fails;
    }
    return Py_BuildValue("NN", urls, rows);
fails:
    Py_XDECREF(urls), Py_XDECREF(rows);
    return NULL;
}

static int offer(PyObject *own, PyObject *hosts);

/* Tells the frontier and its turns what was done, even where the next command failed. */
static int keep_up(const Coming *own, PyObject *frontier, PyObject *turns) {
    PyObject *type, *error, *trace;
    PyErr_Fetch(&type, &error, &trace);
    int done = put_number(frontier, N__order, own->order) && put_number(frontier, N__pending, own->pending) &&
               SET(frontier, _source, own->source) == 0 && offer(turns, own->offered);
    if (type == NULL) return done;
    PyErr_Clear();
    PyErr_Restore(type, error, trace);
    return 0;
}

/* unread_places(URLs that are to be moved, changed, rows, hosts) -> the names of the rows of their places that memory does
 * not have */
static PyObject *unread_places(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *urls, *changed, *rows, *hosts, *names_found = PyList_New(0);
    if (!names_found || !PyArg_ParseTuple(args, "O!O!O!O!", &PyList_Type, &urls, &PyDict_Type, &changed, &PyDict_Type,
                                          &rows, &PyDict_Type, &hosts))
        goto end;
    for (Py_ssize_t i = 0; i < PyList_Size(urls) && !PyErr_Occurred(); i++) {
        unsigned char rest[1 + LONGEST_KEY] = {0};
        PyObject *url = PyList_GetItem(urls, i), *row = entry(changed, url) ? NULL : entry(rows, url);
        Span bytes, text, at, found;
        if (row == NULL || row == Py_None) continue;
        if (!bytes_of(row, &bytes) || !utf8_of(url, &text)) break;
        if (bytes.length < MARK || *bytes.at != 'p' || bytes.length - MARK > LONGEST_KEY || !host_of(text, &at)) continue;
        Span key = {bytes.at + MARK, bytes.length - MARK};
        memcpy(rest + 1, key.at, key.length);
        PyObject *host = PyUnicode_FromStringAndSize((const char *)at.at, (Py_ssize_t)at.length);
        PyObject *queue = host ? entry(hosts, host) : NULL, *name = NULL;
        if (queue && !stored_row(queue, key, &found) && !PyErr_Occurred())
            name = row_name('q', host, rest, 1 + key.length);
        if (name && PyList_Append(names_found, name) < 0) Py_CLEAR(name);
        Py_XDECREF(host), Py_XDECREF(name);
    }
end:
    if (PyErr_Occurred()) Py_CLEAR(names_found);
    return names_found;
}

/* obey(frontier, commands, at, ties, PendingPlace, Enqueue, Reprioritize, HostQueue) -> the place of the first command from
 * `at` on that is left to Python. Before it there are new URLs, which wait now, others that have new places, and such as
 * are left as they are. `ties` is 1 if the
 * first to come is the best among equal ones, -1 if it is the last. */
static PyObject *obey_all(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *frontier, *commands, *queues = NULL, *turns = NULL;
    Py_ssize_t at;
    int sign;
    Coming own = {0};
    if (!PyArg_ParseTuple(args, "OO!niOOOO", &frontier, &PyList_Type, &commands, &at, &sign, &own.place_type,
                          &own.enqueue_type, &own.move_type, &own.queue_type))
        return NULL;
    own.sign = sign;
    queues = ATTR(frontier, _queues), turns = ATTR(frontier, _turns), own.offered = PyDict_New();
    PyObject **const tables[] = {&own.changed, &own.settled, &own.rows, &own.leased,    &own.hosts,
                                 &own.touched, &own.ahead,   &own.dead, &own.rows_ahead};
    static const int NAMED[] = {N__changed, N__settled, N__rows, N__leased,    N__hosts,
                                N__touched, N__ahead,   N__dead, N__rows_ahead};
    enum { ALL = sizeof NAMED / sizeof *NAMED };
    int fine = queues && turns && own.offered;
    for (int i = 0; fine && i < ALL; i++) {
        *tables[i] = PyObject_GetAttr(i < 4 ? frontier : queues, names[NAMED[i]]);
        fine = *tables[i] && PyDict_Check(*tables[i]);
    }
    PyObject *source = ATTR(frontier, _source);
    own.source = source;
    fine = fine && source && whole_of(LOOK(frontier, _order), &own.order) &&
           whole_of(LOOK(frontier, _pending), &own.pending) && whole_of(LOOK(frontier, _source_depth), &own.source_depth);
    if (fine) {
        Course course = PASSES;
        for (; course > STOPS && at < PyList_Size(commands); at += course > STOPS)
            course = left_if_not_plain(obey(&own, PyList_GetItem(commands, at)));
        fine = keep_up(&own, frontier, turns) && course != FAILS;
    }
    for (int i = 0; i < ALL; i++) Py_XDECREF(*tables[i]);
    Py_XDECREF(queues), Py_XDECREF(turns), Py_XDECREF(own.offered), Py_XDECREF(source);
    Py_XDECREF(own.host), Py_XDECREF(own.queue);
    free(own.run.bytes);
    if (!fine && !PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "a table is missing");
    return fine ? PyLong_FromSsize_t(at) : NULL;
}

/* -- checkpoints -------------------------------------------------------------------------------------------------- */

static uint32_t crc_of[8][256]; /* the nth: of a byte that n zeros follow */

static void fill_tables(void) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int bit = 0; bit < 8; bit++) c = c & 1 ? c >> 1 ^ 0xEDB88320u : c >> 1;
        crc_of[0][i] = c;
    }
    for (unsigned n = 1; n < 8; n++)
        for (unsigned i = 0; i < 256; i++) crc_of[n][i] = crc_of[0][crc_of[n - 1][i] & 0xFF] ^ crc_of[n - 1][i] >> 8;
}

static uint32_t crc32_of(const unsigned char *s, size_t n) {
    uint32_t crc = 0xFFFFFFFFu;
    for (; n >= 8; s += 8, n -= 8) {
        uint32_t before = crc;
        crc = crc_of[3][s[4]] ^ crc_of[2][s[5]] ^ crc_of[1][s[6]] ^ crc_of[0][s[7]];
        for (unsigned i = 0; i < 4; i++) crc ^= crc_of[7 - i][(before >> 8 * i ^ s[i]) & 0xFF];
    }
    for (; n; s++, n--) crc = crc_of[0][(crc ^ *s) & 0xFF] ^ crc >> 8;
    return ~crc;
}

/* Appends the record of a place, as Python packs it if it is not plain. */
static int add_record(Run *run, PyObject *place, PyObject *pack_place) {
    size_t before = run->length;
    Span record;
    if (pack_record(run, place)) return 1;
    if (PyErr_Occurred()) return 0;
    run->length = before;
    PyObject *made = PyObject_CallFunctionObjArgs(pack_place, place, NULL);
    int done = made && bytes_of(made, &record) && add(run, record.at, record.length);
    Py_XDECREF(made);
    return done;
}

/* Appends the record of a place, and lets the place point to it, if it begins there in the log. */
static int point_to_record(Run *run, PyObject *place, PyObject *pack_place, uint64_t start) {
    unsigned char pointer[POINTER] = {0};
    size_t before = run->length;
    int64_t depth;
    if (!add_record(run, place, pack_place) || !whole_of(LOOK(place, depth), &depth)) return 0;
    size_t length = run->length - before;
    if (depth < 0 || depth > UINT32_MAX || length > UINT32_MAX) {
        PyErr_SetString(PyExc_OverflowError, "a record is too long, or its place too deep");
        return 0;
    }
    be(pointer + 1, (uint64_t)depth, 4);
    be(pointer + 5, start, 8);
    be(pointer + 13, length, 4);
    be(pointer + 17, crc32_of(run->bytes + before, length), 4);
    PyObject *made = PyBytes_FromStringAndSize((const char *)pointer, POINTER);
    int done = made && SET(place, pointer, made) == 0;
    Py_XDECREF(made);
    return done;
}

/* Puts the row of a URL that waits. */
static int put_url(Run *run, PyObject *place, PyObject *put, PyObject *pending_row) {
    PyObject *again = LOOK(place, again), *way = LOOK(place, way), *url = LOOK(place, url), *row;
    int64_t depth;
    Span key;
    if (!again || !way || !url || !bytes_of(LOOK(place, key), &key) || !whole_of(LOOK(place, depth), &depth)) return 0;
    if (again == Py_None && !PyObject_IsTrue(way) && depth >= 0 && depth <= UINT32_MAX) {
        run->length = 0;
        if (!add_number(run, 'p', (uint64_t)depth, 4) || !add(run, key.at, key.length)) return 0;
        row = PyBytes_FromStringAndSize((const char *)run->bytes, (Py_ssize_t)run->length);
    } else {
        row = PyObject_CallFunctionObjArgs(pending_row, place, NULL);
    }
    return tell(put, row_name('u', url, NULL, 0), row, 1);
}

/* Lets places point nowhere again, though there is an error already. */
static void forget_records(PyObject *places) {
    PyObject *type, *error, *trace;
    PyErr_Fetch(&type, &error, &trace);
    for (Py_ssize_t i = 0; i < PyList_Size(places); i++)
        if (SET(PyList_GetItem(places, i), pointer, no_bytes) < 0) PyErr_Clear();
    PyErr_Restore(type, error, trace);
}

/* Notes a place among those of its host. */
static int group(PyObject *groups, PyObject *place) {
    PyObject *host = LOOK(place, host), *others = host ? entry(groups, host) : NULL;
    if (others) return PyList_Append(others, place) == 0;
    others = PyErr_Occurred() ? NULL : PyList_New(0);
    int done = others && PyList_Append(others, place) == 0 && PyDict_SetItem(groups, host, others) == 0;
    Py_XDECREF(others);
    return done;
}

/* waiting(changed, PendingPlace) -> the places in a table of what changed, by host, of one host in the order of the table */
static PyObject *waiting(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *changed, *type, *url, *held, *groups = PyDict_New(), *hosts = NULL, *all = PyList_New(0);
    int fine = groups && all && PyArg_ParseTuple(args, "O!O", &PyDict_Type, &changed, &type);
    for (Py_ssize_t at = 0; fine && PyDict_Next(changed, &at, &url, &held);)
        fine = Py_TYPE(held) != (PyTypeObject *)type || group(groups, held);
    fine = fine && (hosts = PyDict_Keys(groups)) != NULL && PyList_Sort(hosts) == 0;
    for (Py_ssize_t i = 0; fine && i < PyList_Size(hosts); i++) {
        PyObject *some = entry(groups, PyList_GetItem(hosts, i));
        Py_ssize_t end = PyList_Size(all);
        fine = some && PyList_SetSlice(all, end, end, some) == 0;
    }
    Py_XDECREF(groups), Py_XDECREF(hosts);
    if (!fine) Py_CLEAR(all);
    return all;
}

/* put_places(places, put, pack_place, pending_row, end) -> the records of those that had none, one after the other, to
 * which they point then, if the first one begins at `end` of the log. Puts the row of each URL. */
static PyObject *put_places(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *places, *put, *pack_place, *pending_row, *pointing = PyList_New(0), *all = NULL;
    unsigned long long end;
    Run run = {0}, row = {0};
    int fine = pointing && PyArg_ParseTuple(args, "O!OOOK", &PyList_Type, &places, &put, &pack_place, &pending_row, &end);
    for (Py_ssize_t i = 0, n = fine ? PyList_Size(places) : 0; fine && i < n; i++) {
        PyObject *place = PyList_GetItem(places, i);
        for (int line = 0; line < 3 && i + 4 < n; line++) AHEAD((const char *)PyList_GetItem(places, i + 4) + 64 * line);
        Span pointer;
        fine = bytes_of(LOOK(place, pointer), &pointer);
        if (fine && pointer.length == 0)
            fine = PyList_Append(pointing, place) == 0 && point_to_record(&run, place, pack_place, end + run.length);
        fine = fine && put_url(&row, place, put, pending_row);
    }
    if (fine) all = PyBytes_FromStringAndSize((const char *)run.bytes, (Py_ssize_t)run.length);
    if (pointing && all == NULL) forget_records(pointing);
    free(run.bytes), free(row.bytes);
    Py_XDECREF(pointing);
    return all;
}

/* put_outcomes(changed, put, delete): puts the rows of URLs that do not wait any more */
static PyObject *put_outcomes(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *changed, *put, *delete, *url, *held;
    if (!PyArg_ParseTuple(args, "O!OO", &PyDict_Type, &changed, &put, &delete)) return NULL;
    for (Py_ssize_t at = 0; PyDict_Next(changed, &at, &url, &held);) {
        if (held == Py_None) {
            if (!tell(delete, row_name('u', url, NULL, 0), NULL, 0)) break;
        } else if (PyLong_CheckExact(held)) {
            char row[MARK];
            int64_t outcome;
            if (!whole_of(held, &outcome)) break;
            row[0] = outcome < 0 ? 'e' : outcome & 1 ? 'f' : 'v';
            uint64_t depth = (uint64_t)(outcome < 0 ? ~outcome : outcome >> 1);
            if (depth > UINT32_MAX) {
                PyErr_SetString(PyExc_OverflowError, "a URL is too deep");
                break;
            }
            be((unsigned char *)row + 1, depth, 4);
            if (!tell(put, row_name('u', url, NULL, 0), PyBytes_FromStringAndSize(row, MARK), 1)) break;
        }
    }
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

/* What is worked out of one queue. */
typedef struct {
    PyObject *put, *changed, *place_type, *host;
    Span stored;
    int64_t at, width, count;
    PyObject *dead; /* NULL: none is */
    Run rows;       /* packed places, each as wide as the first one */
    size_t wide;
} Written;

static int by_bytes(const void *one, const void *other) {
    return compare(*(const Span *)one, *(const Span *)other);
}

static int add_packed(Written *own, Span key, Span pointer) {
    if (own->wide == 0) own->wide = key.length + pointer.length;
    if (own->wide == key.length + pointer.length)
        return add(&own->rows, key.at, key.length) && add(&own->rows, pointer.at, pointer.length);
    PyErr_SetString(PyExc_ValueError, "the keys of a queue differ in length");
    return 0;
}

/* Puts what was placed since the checkpoint, and notes those up to `last`. */
static int put_fresh(Written *own, PyObject *fresh, Span last) {
    Span key, pointer;
    for (Py_ssize_t i = 0; i < PyList_Size(fresh); i++) {
        PyObject *pair = PyList_GetItem(fresh, i), *at = PyTuple_GetItem(pair, 0), *url = PyTuple_GetItem(pair, 1);
        if (at == NULL || url == NULL) return 0;
        PyObject *place = entry(own->changed, url);
        int here = stands(place, own->place_type, at, own->host);
        if (here < 0) return 0;
        if (here == 0) continue;
        PyObject *points = LOOK(place, pointer);
        unsigned char rest[1 + LONGEST_KEY] = {0};
        if (!bytes_of(at, &key) || !bytes_of(points, &pointer)) return 0;
        if (key.length > LONGEST_KEY) {
            PyErr_SetString(PyExc_ValueError, "a key is too long");
            return 0;
        }
        memcpy(rest + 1, key.at, key.length);
        PyObject *name = row_name('q', own->host, rest, 1 + key.length);
        if (compare(key, last) <= 0 && !add_packed(own, key, pointer)) {
            Py_XDECREF(name);
            return 0;
        }
        if (!tell(own->put, name, Py_NewRef(points), 1)) return 0;
    }
    return 1;
}

/* Whether a key is dead: 1, 0, or -1 with an error. */
static int is_dead(const Written *own, Span key) {
    if (own->dead == NULL) return 0;
    PyObject *made = PyBytes_FromStringAndSize((const char *)key.at, (Py_ssize_t)key.length);
    int found = made ? PySet_Contains(own->dead, made) : -1;
    Py_XDECREF(made);
    return found;
}

/* Notes what is stored and not dead; if `any`, no more than the first of it. */
static int note_stored(Written *own, int any) {
    for (size_t at = (size_t)own->at; at < own->stored.length; at += (size_t)own->width) {
        if (own->width < POINTER || at + (size_t)own->width > own->stored.length) {
            PyErr_SetString(PyExc_ValueError, "a place is cut off");
            return 0;
        }
        Span key = {own->stored.at + at, (size_t)own->width - POINTER}, pointer = {key.at + key.length, POINTER};
        int dead = is_dead(own, key);
        if (dead < 0 || (!dead && !add_packed(own, key, pointer))) return 0;
        if (any && own->rows.length) break;
    }
    return 1;
}

/* The distinct rows that were noted, the smallest first, no more than the first few; and how many there are. */
static PyObject *best_of(Written *own, size_t *n) {
    size_t all = own->wide ? own->rows.length / own->wide : 0, kept = 0;
    Span *spans = malloc(all * sizeof *spans + 1);
    if (spans == NULL) return PyErr_NoMemory();
    for (size_t i = 0; i < all; i++) spans[i] = (Span){own->rows.bytes + i * own->wide, own->wide};
    qsort(spans, all, sizeof *spans, by_bytes);
    for (size_t i = 0; i < all; i++)
        if (kept == 0 || !same(spans[i], spans[kept - 1])) spans[kept++] = spans[i];
    *n = kept;
    if (kept > KEPT) kept = KEPT;
    PyObject *made = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(kept * own->wide));
    char *at = made ? PyBytes_AsString(made) : NULL;
    for (size_t i = 0; at && i < kept; i++) memcpy(at + i * own->wide, spans[i].at, own->wide);
    free(spans);
    return made;
}

static int read_queue(Written *own, PyObject *queue) {
    return bytes_of(LOOK(queue, stored), &own->stored) && whole_of(LOOK(queue, at), &own->at) &&
           whole_of(LOOK(queue, width), &own->width) && whole_of(LOOK(queue, count), &own->count) && own->at >= 0;
}

/* The queue as it is with these rows, of which `more` are on disk; the smallest is its head, unless that is told. */
static PyObject *settled(const Written *own, PyObject *queue, PyObject *stored, int64_t at, int64_t width, PyObject *bound,
                         PyObject *more, PyObject *queue_type) {
    Span head, first;
    PyObject *told = ATTR(queue, head), *made = NULL;
    if (bytes_of(told, &head) && !head.length && bytes_of(stored, &first)) {
        if (width < POINTER || (uint64_t)(at + width) > first.length)
            PyErr_SetString(PyExc_ValueError, "a queue has lost its places");
        Py_DECREF(told);
        told = PyErr_Occurred() ? NULL
                                : PyBytes_FromStringAndSize((const char *)first.at + at, (Py_ssize_t)(width - POINTER));
    }
    if (told && !PyErr_Occurred())
        made = queue_of(queue_type, own->count, PyList_New(0), Py_NewRef(stored), at, width, Py_NewRef(bound), more,
                        Py_NewRef(told));
    Py_XDECREF(told);
    return made;
}

/* Puts what changed in one queue; answers the queue as it is then. */
static PyObject *write_queue(Written *own, PyObject *queues, PyObject *queue, PyObject *queue_type) {
    unsigned char behind_all[LONGEST_KEY];
    Span last = {memset(behind_all, 0xFF, sizeof behind_all), sizeof behind_all};
    PyObject *kept = NULL, *made = NULL, *bound = NULL, *more = LOOK(queue, more);
    own->rows.length = own->wide = 0;
    if (more == NULL || !read_queue(own, queue)) return NULL;
    if (more == Py_True) { /* something true is to be known of it */
        if (!note_stored(own, 1)) return NULL;
        if (!own->rows.length) {
            PyObject *said = PyObject_CallMethodObjArgs(queues, names[N__read_on], own->host, queue, NULL);
            Py_XDECREF(said);
            if (said == NULL || !read_queue(own, queue)) return NULL;
        }
        own->rows.length = 0;
    }
    more = LOOK(queue, more), bound = ATTR(queue, bound); /* perhaps it was read on */
    PyObject *fresh = ATTR(queue, fresh);
    if (fresh == NULL || more == NULL || (more == Py_True && !bytes_of(bound, &last))) goto end;
    if (!put_fresh(own, fresh, last)) goto end;
    size_t left = own->stored.length, n = 0;
    if (!own->rows.length && own->dead == NULL && (size_t)own->at < left && left <= (size_t)(KEPT * own->width)) {
        kept = ATTR(queue, stored);
        if (kept) made = settled(own, queue, kept, own->at, own->width, bound, more, queue_type);
        goto end;
    }
    if (!note_stored(own, 0) || (kept = best_of(own, &n)) == NULL) goto end;
    if (n == 0) PyErr_SetString(PyExc_IndexError, "a queue has lost its places");
    if (n > KEPT) {
        Py_XDECREF(bound);
        const char *best = PyBytes_AsString(kept);
        bound = best ? PyBytes_FromStringAndSize(best + (KEPT - 1) * own->wide, (Py_ssize_t)(own->wide - POINTER)) : NULL;
        more = Py_True;
    }
    if (bound && n) made = settled(own, queue, kept, 0, (int64_t)own->wide, bound, more, queue_type);
end:
    Py_XDECREF(bound), Py_XDECREF(kept), Py_XDECREF(fresh);
    return made;
}

/* Puts what changed at one host, and notes its queue as it is then. */
static int write_host(Written *own, PyObject *queues, PyObject *queue, PyObject *queue_type, PyObject *coming) {
    unsigned char count[8];
    Span head;
    PyObject *made = write_queue(own, queues, queue, queue_type), *row = NULL;
    int done = made && PyDict_SetItem(coming, own->host, made) == 0 && bytes_of(LOOK(made, head), &head);
    if (done) {
        be(count, (uint64_t)own->count, sizeof count);
        own->rows.length = 0;
        if (add(&own->rows, count, sizeof count) && add(&own->rows, head.at, head.length))
            row = PyBytes_FromStringAndSize((const char *)own->rows.bytes, (Py_ssize_t)own->rows.length);
        done = row && tell(own->put, row_name('h', own->host, NULL, 0), row, 1);
    }
    Py_XDECREF(made);
    return done;
}

/* put_queues(queues, hosts, put, delete, PendingPlace, HostQueue) -> the queues of these hosts as they are once that is
 * written: see `HostQueues.write` */
static PyObject *put_queues(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *queues, *hosts, *delete, *queue_type, *tables[3] = {NULL}, *coming = PyDict_New();
    Written own = {0};
    int fine = coming != NULL;
    if (!fine || !PyArg_ParseTuple(args, "OO!OOOO", &queues, &PyList_Type, &hosts, &own.put, &delete, &own.place_type,
                                   &queue_type)) {
        Py_XDECREF(coming);
        return NULL;
    }
    static const int NAMED[] = {N__hosts, N__dead, N__changed};
    for (int i = 0; i < 3; i++) fine = (tables[i] = PyObject_GetAttr(queues, names[NAMED[i]])) && fine;
    own.changed = tables[2];
    for (Py_ssize_t i = 0; fine && i < PyList_Size(hosts); i++) {
        own.host = PyList_GetItem(hosts, i);
        PyObject *queue = own.host ? entry(tables[0], own.host) : NULL;
        own.dead = own.host ? entry(tables[1], own.host) : NULL;
        if (PyErr_Occurred()) break;
        fine = queue ? write_host(&own, queues, queue, queue_type, coming)
                     : tell(delete, row_name('h', own.host, NULL, 0), NULL, 0);
    }
    free(own.rows.bytes);
    for (int i = 0; i < 3; i++) Py_XDECREF(tables[i]);
    if (PyErr_Occurred()) Py_CLEAR(coming);
    return coming;
}

/* delete_places(hosts and the keys of their dead places, delete): deletes their rows */
static PyObject *delete_places(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *dead, *delete, *host, *keys;
    if (!PyArg_ParseTuple(args, "O!O", &PyList_Type, &dead, &delete)) return NULL;
    for (Py_ssize_t i = 0; i < PyList_Size(dead); i++) {
        if (!PyArg_ParseTuple(PyList_GetItem(dead, i), "OO", &host, &keys)) return NULL;
        PyObject *each = PyObject_GetIter(keys), *key;
        while (each && (key = PyIter_Next(each))) {
            unsigned char rest[1 + LONGEST_KEY] = {0};
            Span bytes;
            int fine = bytes_of(key, &bytes) && bytes.length <= LONGEST_KEY;
            if (fine) {
                memcpy(rest + 1, bytes.at, bytes.length);
                fine = tell(delete, row_name('q', host, rest, 1 + bytes.length), NULL, 0);
            } else if (!PyErr_Occurred()) {
                PyErr_SetString(PyExc_ValueError, "a key is too long");
            }
            Py_DECREF(key);
            if (!fine) break;
        }
        Py_XDECREF(each);
        if (PyErr_Occurred()) return NULL;
    }
    return Py_NewRef(Py_None);
}


/* -- heads ---------------------------------------------------------------------------------------------------------- */

/* Drops what is out of date at the beginning of what was placed since the checkpoint. */
static int clean_fresh(PyObject *fresh, PyObject *changed, PyObject *place_type, PyObject *host) {
    while (PyList_Size(fresh) > 0) {
        PyObject *first = PyList_GetItem(fresh, 0), *key = PyTuple_GetItem(first, 0), *url = PyTuple_GetItem(first, 1);
        if (key == NULL || url == NULL) return 0;
        int here = stands(entry(changed, url), place_type, key, host);
        if (here) return here > 0;
        PyObject *gone = heappop(NULL, fresh);
        Py_XDECREF(gone);
        if (gone == NULL) return 0;
    }
    return 1;
}

/* Passes over the dead places at the beginning of what is stored. */
static int pass_dead(PyObject *queue, PyObject *dead) {
    Span key;
    int64_t at, width;
    for (int found; (found = best_stored(queue, &key)) != 0;) {
        PyObject *made = found > 0 ? PyBytes_FromStringAndSize((const char *)key.at, (Py_ssize_t)key.length) : NULL;
        int gone = made ? PySet_Contains(dead, made) : -1;
        Py_XDECREF(made);
        if (gone < 1) return gone == 0;
        if (!whole_of(LOOK(queue, at), &at) || !whole_of(LOOK(queue, width), &width) ||
            !put_number(queue, N_at, at + width))
            return 0;
    }
    return 1;
}

/* Makes the beginnings of a queue true: see `HostQueues._clean`. */
static int clean(PyObject *queues, PyObject *queue, PyObject *fresh, PyObject *host, PyObject *place_type) {
    PyObject *changed = LOOK(queues, _changed), *dead = LOOK(queues, _dead), *more = LOOK(queue, more);
    if (changed == NULL || dead == NULL || more == NULL || !PyDict_Check(changed) || !PyDict_Check(dead)) return 0;
    if (!clean_fresh(fresh, changed, place_type, host)) return 0;
    PyObject *keys = entry(dead, host);
    Span stored;
    int64_t at;
    if (PyErr_Occurred() || (keys && !pass_dead(queue, keys))) return 0;
    if (more != Py_True) return 1;
    if (!bytes_of(LOOK(queue, stored), &stored) || !whole_of(LOOK(queue, at), &at)) return 0;
    if (at < 0 || (uint64_t)at != stored.length) return 1;
    PyObject *said = PyObject_CallMethodObjArgs(queues, names[N__read_on], host, queue, NULL);
    Py_XDECREF(said);
    return said != NULL;
}

/* The smallest key of a host; None if nothing waits there. */
static PyObject *head_of(PyObject *queues, PyObject *host, PyObject *place_type) {
    PyObject *hosts = LOOK(queues, _hosts), *queue = hosts ? entry(hosts, host) : NULL;
    if (queue == NULL) return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
    Span known, key, first;
    PyObject *told = ATTR(queue, head), *fresh = NULL, *found = NULL;
    if (!bytes_of(told, &known) || known.length) return told;
    Py_DECREF(told);
    Py_INCREF(queue);
    fresh = ATTR(queue, fresh);
    if (fresh == NULL || !PyList_Check(fresh) || !clean(queues, queue, fresh, host, place_type)) goto end;
    int stored = best_stored(queue, &key);
    PyObject *placed = PyList_Size(fresh) > 0 ? PyTuple_GetItem(PyList_GetItem(fresh, 0), 0) : NULL;
    if (stored < 0 || PyErr_Occurred() || (placed && !bytes_of(placed, &first))) goto end;
    if (placed && (!stored || compare(first, key) < 0))
        found = Py_NewRef(placed);
    else if (stored)
        found = PyBytes_FromStringAndSize((const char *)key.at, (Py_ssize_t)key.length);
    else
        found = Py_NewRef(Py_None);
    if (found && found != Py_None && SET(queue, head, found) < 0) Py_CLEAR(found);
end:
    Py_XDECREF(fresh), Py_DECREF(queue);
    return found;
}

/* head(PendingPlace, queues, host) */
static PyObject *head(PyObject *module, PyObject *const *args, Py_ssize_t n) {
    (void)module;
    if (n != 3) return PyErr_Format(PyExc_TypeError, "a type, queues and a host are asked for");
    return head_of(args[1], args[2], args[0]);
}

/* Tells the head of a host, with which it is called. Turns that know it ask without a call. */
typedef struct {
    PyObject_HEAD
    PyObject *place_type, *queues;
} HeadOf;
static PyTypeObject *head_of_type;

/* HeadOf(PendingPlace, queues) */
static PyObject *head_of_new(PyTypeObject *type, PyObject *args, PyObject *named) {
    static char *none[] = {"", "", NULL};
    PyObject *place_type, *queues;
    if (!PyArg_ParseTupleAndKeywords(args, named, "OO", none, &place_type, &queues)) return NULL;
    HeadOf *made = (HeadOf *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (made) made->place_type = Py_NewRef(place_type), made->queues = Py_NewRef(queues);
    return (PyObject *)made;
}

static void head_of_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(((HeadOf *)self)->place_type), Py_XDECREF(((HeadOf *)self)->queues);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyObject *head_of_call(PyObject *self, PyObject *args, PyObject *named) {
    static char *none[] = {"", NULL};
    PyObject *host;
    if (!PyArg_ParseTupleAndKeywords(args, named, "O", none, &host)) return NULL;
    return head_of(((HeadOf *)self)->queues, host, ((HeadOf *)self)->place_type);
}

static PyType_Slot head_of_slots[] = {
    {Py_tp_new, head_of_new}, {Py_tp_dealloc, head_of_dealloc}, {Py_tp_call, head_of_call}, {0, NULL}};
static PyType_Spec head_of_spec = {"lycosa.frontier._queues.HeadOf", sizeof(HeadOf), 0, Py_TPFLAGS_DEFAULT, head_of_slots};

/* -- records on disk ----------------------------------------------------------------------------------------------- */

/* What is left of a message. A reader that meets what is not plain answers NULL, with or without an error. */
static uint64_t taken(Span *left, unsigned wide) {
    uint64_t number = from_be(left->at, wide);
    *left = (Span){left->at + wide, left->length - wide};
    return number;
}

static PyObject *unpack_whole(Span *left) {
    if (left->length < 9) return NULL; /* it is followed by more than that, where it is plain */
    unsigned char mark = (unsigned char)taken(left, 1);
    if (mark < 0x80) return PyLong_FromLong(mark);
    if (mark < 0xCC || mark > 0xCF) return NULL;
    return PyLong_FromUnsignedLongLong(taken(left, 1u << (mark - 0xCC)));
}

/* The length of a text (`first` is 0xD9) or of bytes (0xC4) and where it begins. */
static int unpack_span(Span *left, unsigned char first, Span *span) {
    if (left->length < 1) return 0;
    unsigned char mark = (unsigned char)taken(left, 1);
    uint64_t n = mark & 0x1F;
    if (first != 0xD9 || mark >> 5 != 5) {
        unsigned step = (unsigned)(mark - first);
        if (mark < first || step > 2 || left->length < 4) return 0;
        n = taken(left, 1u << step);
    }
    if (n > left->length) return 0;
    *span = (Span){left->at, (size_t)n};
    *left = (Span){left->at + n, left->length - (size_t)n};
    return 1;
}

static PyObject *unpack_text(Span *left) {
    Span text;
    if (!unpack_span(left, 0xD9, &text)) return NULL;
    return PyUnicode_DecodeUTF8((const char *)text.at, (Py_ssize_t)text.length, "strict");
}

static PyObject *unpack_bytes_or_none(Span *left) {
    Span bytes;
    if (left->length && *left->at == 0xC0) return taken(left, 1) ? Py_NewRef(Py_None) : NULL;
    return unpack_span(left, 0xC4, &bytes) ? PyBytes_FromStringAndSize((const char *)bytes.at, (Py_ssize_t)bytes.length)
                                           : NULL;
}

/* The host that a span names: the one that was given, if it does and is not NULL. */
static PyObject *host_named(Span span, PyObject *given) {
    Span name;
    if (given && utf8_of(given, &name) && same(name, span)) return Py_NewRef(given);
    return PyErr_Occurred() ? NULL : PyUnicode_FromStringAndSize((const char *)span.at, (Py_ssize_t)span.length);
}

/* The place of a record, if that is plain: one of a URL that was never visited and waits at its own host, which is the one
 * that is given, if any is. */
static PyObject *unpack_place(Span left, PyObject *key, PyObject *row, PyObject *given, PyObject *place_type) {
    Span text, host;
    PyObject *parts[4] = {NULL}, *via = NULL, *at_host = NULL;
    if (left.length < 1 || taken(&left, 1) != 0x95) return NULL;
    int fine = (parts[0] = unpack_text(&left)) != NULL;
    for (int i = 1; fine && i < 4; i++) fine = (parts[i] = unpack_whole(&left)) != NULL;
    via = fine ? unpack_bytes_or_none(&left) : NULL;
    if (via && left.length == 0 && utf8_of(parts[0], &text) && host_of(text, &host)) at_host = host_named(host, given);
    PyObject *values[] = {parts[0], at_host, Py_NewRef(key), parts[1], parts[2], parts[3], via, Py_NewRef(row)};
    return record(place_type, OF_PLACES, values, sizeof OF_PLACES / sizeof *OF_PLACES);
}

/* The place of a record that a row points to in an open file; NULL, with or without an error, if Python is to read it,
 * which also says what is wrong with it. */
static PyObject *read_place(PyObject *row, PyObject *key, PyObject *host, int file, PyObject *place_type) {
    Span pointer;
    if (!bytes_of(row, &pointer) || pointer.length != POINTER || *pointer.at != 0) return NULL;
    uint64_t start = from_be(pointer.at + 5, 8), length = from_be(pointer.at + 13, 4);
    unsigned char within[2048], *record = length > sizeof within ? malloc(length) : within;
    if (record == NULL) return PyErr_NoMemory();
    ssize_t got;
    Py_BEGIN_ALLOW_THREADS
    got = start <= INT64_MAX ? pread(file, record, length, (off_t)start) : -1;
    Py_END_ALLOW_THREADS
    PyObject *place = NULL;
    if (got >= 0 && (uint64_t)got == length && crc32_of(record, length) == from_be(pointer.at + 17, 4))
        place = unpack_place((Span){record, (size_t)length}, key, row, host, place_type);
    if (record != within) free(record);
    return place;
}

/* The number of the file in which the records of queues lie; 0 and an error if that is not told. */
static int file_of(PyObject *queues, int *file) {
    PyObject *log = LOOK(queues, _log);
    int64_t number = 0;
    int told = log && whole_of(LOOK(log, file), &number);
    *file = (int)number;
    return told;
}

/* Notes a place as `packed` does: its key, and its row if that points to a record. */
static int note_packed(PyObject *found, Span key, Span row) {
    PyObject *made = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(key.length + POINTER));
    char *at = made ? PyBytes_AsString(made) : NULL;
    int points = row.length == POINTER && *row.at == 0;
    if (at) memcpy(at, key.at, key.length);
    if (at && points) memcpy(at + key.length, row.at, POINTER);
    if (at && !points) memset(at + key.length, 0xFF, POINTER);
    int done = at && PyList_Append(found, made) == 0;
    Py_XDECREF(made);
    return done;
}

/* Looks at the row at which an iterator stands: 1 if it is another place, 0 if it is one more than wanted, -1 with an error.
 * The key of a place that was noted is the last one then. */
static int look_at_row(PyObject *rows, size_t skip, Span bound, PyObject *dead, PyObject *found, Py_ssize_t most,
                       PyObject **last) {
    PyObject *name = PyObject_CallMethodObjArgs(rows, names[N_key], NULL), *row = NULL, *own = NULL;
    int course = -1;
    Span key, value;
    if (!bytes_of(name, &key) || key.length < skip) goto end; /* also where a number below 0 was given */
    key = (Span){key.at + skip, key.length - skip};
    own = PyBytes_FromStringAndSize((const char *)key.at, (Py_ssize_t)key.length);
    int passed = own == NULL ? -1 : compare(key, bound) <= 0 ? 1 : PySequence_Contains(dead, own);
    if (passed < 0 || passed) {
        course = passed;
        goto end;
    }
    course = PyList_Size(found) < most;
    if (course == 0) goto end;
    row = PyObject_CallMethodObjArgs(rows, names[N_value], NULL);
    if (!bytes_of(row, &value) || !note_packed(found, key, value)) course = -1;
    Py_DECREF(*last);
    *last = Py_NewRef(own);
end:
    Py_XDECREF(name), Py_XDECREF(row), Py_XDECREF(own);
    if (course < 0 && !PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "the key of a place is too short");
    return course;
}

/* next_rows(rows, skip, bound, dead, most) -> places, the key of the last, whether there are more: see `_next_rows` */
static PyObject *next_rows(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *rows, *bound, *dead, *found = PyList_New(0), *last = NULL;
    Py_ssize_t skip, most;
    Span behind;
    int course = -1;
    if (found && PyArg_ParseTuple(args, "OnO!On", &rows, &skip, &PyBytes_Type, &bound, &dead, &most) &&
        bytes_of(bound, &behind)) {
        last = Py_NewRef(bound);
        for (course = 1; course > 0;) {
            PyObject *valid = PyObject_CallMethodObjArgs(rows, names[N_valid], NULL);
            int any = valid ? PyObject_IsTrue(valid) : -1;
            Py_XDECREF(valid);
            course = any < 1 ? any : look_at_row(rows, (size_t)skip, behind, dead, found, most, &last);
            if (any == 0) break;
            if (course == 0) return Py_BuildValue("NNO", found, last, Py_True);
            if (course > 0 && !call(rows, N_next, NULL)) course = -1;
        }
    }
    if (course == 0) return Py_BuildValue("NNO", found, last, Py_False);
    Py_XDECREF(found), Py_XDECREF(last);
    return NULL;
}

/* first(PendingPlace, queues, host) -> what stands at its head; None if Python is to look for it */
static PyObject *first_place(PyObject *module, PyObject *const *args, Py_ssize_t n) {
    (void)module;
    if (n != 3) return PyErr_Format(PyExc_TypeError, "a type, queues and a host are asked for");
    PyObject *queues = args[1], *host = args[2], *key = head_of(queues, host, args[0]);
    PyObject *queue, *hosts, *fresh, *pair, *place = NULL, *row = NULL;
    Span best, own, placed;
    int file;
    if (key == NULL) return NULL;
    if (!PyBytes_Check(key) || (hosts = LOOK(queues, _hosts)) == NULL || (queue = entry(hosts, host)) == NULL) goto end;
    if ((fresh = LOOK(queue, fresh)) == NULL || !bytes_of(key, &own)) goto end;
    pair = PyList_Size(fresh) > 0 ? PyList_GetItem(fresh, 0) : NULL;
    if (pair && bytes_of(PyTuple_GetItem(pair, 0), &placed) && same(own, placed)) {
        PyObject *changed = LOOK(queues, _changed), *url = PyTuple_GetItem(pair, 1);
        place = changed && url ? Py_XNewRef(entry(changed, url)) : NULL;
        if (place && Py_TYPE(place) != (PyTypeObject *)args[0]) Py_CLEAR(place);
    } else if (!PyErr_Occurred() && best_stored(queue, &best) == 1 && same(own, best)) {
        row = PyBytes_FromStringAndSize((const char *)best.at + best.length, POINTER);
        if (row && file_of(queues, &file)) place = read_place(row, key, host, file, args[0]);
    }
end:
    Py_XDECREF(row), Py_DECREF(key);
    return place || PyErr_Occurred() ? place : Py_NewRef(Py_None);
}

/* place_at(row, key, file, PendingPlace) -> the place whose record the row points to; None if Python is to read it */
static PyObject *place_at(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *row, *key, *place_type;
    int file;
    if (!PyArg_ParseTuple(args, "OOiO", &row, &key, &file, &place_type)) return NULL;
    PyObject *place = read_place(row, key, NULL, file, place_type);
    return place || PyErr_Occurred() ? place : Py_NewRef(Py_None);
}

/* One URL less waits at a host, and if it stood on disk under this key, it does no more. */
static int take_out(PyObject *queues, PyObject *host, PyObject *key, int is_stored) {
    PyObject *hosts = LOOK(queues, _hosts), *touched = LOOK(queues, _touched), *queue;
    PyObject *ahead = LOOK(queues, _ahead), *dead = LOOK(queues, _dead);
    int64_t count;
    if (!hosts || !touched || !ahead || !dead || (queue = entry(hosts, host)) == NULL) goto fails;
    if (is_stored && !bury(dead, host, key)) goto fails;
    if (PyDict_SetItem(touched, host, Py_None) < 0 || !whole_of(LOOK(queue, count), &count)) goto fails;
    if (entry(ahead, host) ? PyDict_DelItem(ahead, host) < 0 : PyErr_Occurred() != NULL) goto fails;
    if (count == 1 ? PyDict_DelItem(hosts, host) == 0
                   : SET(queue, head, no_bytes) == 0 && put_number(queue, N_count, count - 1))
        return 1;
fails:
    if (!PyErr_Occurred()) PyErr_SetObject(PyExc_KeyError, host);
    return 0;
}

/* take(queues, host, key, is_stored) */
static PyObject *take(PyObject *module, PyObject *const *args, Py_ssize_t n) {
    (void)module;
    if (n != 4) return PyErr_Format(PyExc_TypeError, "queues, a host, a key and a flag are asked for");
    return take_out(args[0], args[1], args[2], args[3] == Py_True) ? Py_NewRef(Py_None) : NULL;
}

static PyObject *unpack_floating(Span *left) {
    if (left->length < 9 || taken(left, 1) != 0xCB) return NULL;
    uint64_t bits = taken(left, 8);
    double number;
    memcpy(&number, &bits, sizeof number);
    return PyFloat_FromDouble(number);
}

static PyObject *unpack_truth(Span *left) {
    if (left->length < 1 || *left->at >> 1 != 0xC2 >> 1) return NULL;
    return PyBool_FromLong((long)taken(left, 1) & 1);
}

/* The link that `pack_link` packed; NULL, with or without an error, if it is not plain. */
static PyObject *unpack_link(PyObject *packed, PyObject *url, PyObject *link_type) {
    static PyObject *(*const UNPACK[LINK])(Span *) = {unpack_text, unpack_text, unpack_text, unpack_text,  unpack_text,
                                                      unpack_text, unpack_floating, unpack_text, unpack_truth, unpack_truth};
    Span left;
    if (!bytes_of(packed, &left) || left.length < 1 || taken(&left, 1) != (0x90 | LINK)) return NULL;
    PyObject *values[LINK] = {NULL};
    for (int i = 0; i < LINK && (i == 0 || values[i - 1]); i++) {
        int is_url = OF_LINKS[i] == N_target && left.length && *left.at == 0xC0 && taken(&left, 1);
        values[i] = is_url ? Py_NewRef(url) : UNPACK[i](&left);
    }
    if (left.length) Py_CLEAR(values[LINK - 1]); /* there is more than that */
    return record(link_type, OF_LINKS, values, LINK);
}

/* Tier and score, which the key has. */
static int read_rank(PyObject *key, PyObject **tier, PyObject **score) {
    Span bytes;
    if (!bytes_of(key, &bytes) || bytes.length < RANK) return 0;
    uint64_t bits = from_be(bytes.at + 8, 8);
    int above = bits >> 63;
    double number;
    if (!above) bits = ~bits;
    memcpy(&number, &bits, sizeof number);
    if (above) number = -number;
    *tier = PyLong_FromLongLong((int64_t)(from_be(bytes.at, 8) ^ SIGN));
    *score = PyFloat_FromDouble(0.0 - number);
    return 1;
}

/* What is asked for, by its place; None if Python is to say so. */
static PyObject *request_by(PyObject *place, PyObject *request_type, PyObject *link_type) {
    static const int NAMED[] = {N_url, N_order, N_depth, N_attempt, N_via, N_tier, N_score};
    enum { SAME = 4, ALL = sizeof NAMED / sizeof *NAMED };
    PyObject *way = LOOK(place, way), *url = LOOK(place, url), *via = LOOK(place, via), *values[ALL] = {NULL};
    if (!way || !url || !via || LOOK(place, was) != Py_None || LOOK(place, again) != Py_None || PyObject_IsTrue(way))
        return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
    if (read_rank(LOOK(place, key), &values[ALL - 2], &values[ALL - 1])) {
        for (int i = 0; i < SAME; i++) values[i] = attribute(place, NAMED[i]);
        values[SAME] = via == Py_None ? Py_NewRef(via) : unpack_link(via, url, link_type);
    }
    PyObject *made = record(request_type, NAMED, values, ALL);
    return made || PyErr_Occurred() ? made : Py_NewRef(Py_None);
}

/* request(place, Request, Link) */
static PyObject *request(PyObject *module, PyObject *const *args, Py_ssize_t n) {
    (void)module;
    if (n != 3) return PyErr_Format(PyExc_TypeError, "a place and two types are asked for");
    return request_by(args[0], args[1], args[2]);
}

/* -- turns --------------------------------------------------------------------------------------------------------- */

/* Whose turn it is: the tables of `Turns`, which explains it. */
enum { HEAD, SHUT, SHUT_AT, HEADS, STANDING, CLOSED, ADDRESS, ADDRESS_OUT, ADDRESS_UNTIL, PARKED, REOPENING, IN_TROUBLE,
       TABLES };
enum { SWEEP_BEYOND = 64 };
typedef struct {
    PyObject *own, *tables, *of[TABLES];
} Turns;

static void leave(Turns *turns) { Py_XDECREF(turns->tables); }

static int is_heads(PyObject *heap) {
    if (heap && Py_TYPE(heap) == heads_type) return 1;
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "heads are missing");
    return 0;
}

static int look_at(Turns *turns, PyObject *own) {
    *turns = (Turns){own, ATTR(own, _tables), {NULL}};
    for (int i = 0; i < TABLES; i++)
        if (turns->tables == NULL || (turns->of[i] = PyTuple_GetItem(turns->tables, i)) == NULL) {
            leave(turns);
            return 0;
        }
    if (PyList_Check(turns->of[SHUT]) && PyList_Check(turns->of[REOPENING]) && is_heads(turns->of[HEADS])) return 1;
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "a heap is missing");
    leave(turns);
    return 0;
}

static int is_before(PyObject *one, PyObject *other) {
    Span a, b;
    if (PyBytes_CheckExact(one) && PyBytes_CheckExact(other))
        return bytes_of(one, &a) && bytes_of(other, &b) && compare(a, b) < 0;
    return PyObject_RichCompareBool(one, other, Py_LT);
}

static int push_pair(PyObject *heap, PyObject *key, PyObject *host) {
    PyObject *pair = PyTuple_Pack(2, key, host);
    int done = pair && push(heap, pair);
    Py_XDECREF(pair);
    return done;
}

static int drop_first(PyObject *heap) {
    Entry gone;
    if (!is_heads(heap) || ((Heads *)heap)->count == 0) return 0;
    int fine = pop_flat((Heads *)heap, &gone);
    Py_DECREF(gone.key), Py_DECREF(gone.host);
    return fine;
}

/* The address of a host, which is kept in its table or for good. NULL with an error. */
static PyObject *address_of(const Turns *turns, PyObject *host) {
    PyObject *address = entry(turns->of[ADDRESS], host);
    return address || PyErr_Occurred() ? address : no_text;
}

/* Whether an address is closed: 1, 0, or -1 with an error. */
static int is_shut(const Turns *turns, PyObject *address) {
    int out = PySet_Contains(turns->of[ADDRESS_OUT], address);
    return out ? out : PyDict_Contains(turns->of[ADDRESS_UNTIL], address);
}

static int come_forward(const Turns *turns, PyObject *address) {
    if (entry(turns->of[PARKED], address)) return call(turns->own, N__come_forward, address);
    return !PyErr_Occurred();
}

static int shut_out(const Turns *turns, PyObject *host, PyObject *key) {
    PyObject *noted = entry(turns->of[SHUT_AT], host);
    if (noted == NULL && PyErr_Occurred()) return 0;
    if (noted && !is_before(key, noted)) return !PyErr_Occurred();
    if (PyErr_Occurred() || PyDict_SetItem(turns->of[SHUT_AT], host, key) < 0) return 0;
    if (!push_pair(turns->of[SHUT], key, host)) return 0;
    if (PyList_Size(turns->of[SHUT]) <= 2 * PyDict_Size(turns->of[SHUT_AT]) + SWEEP_BEYOND) return 1;
    return call(turns->own, N__sweep_shut, NULL);
}

static int park(const Turns *turns, PyObject *address, PyObject *key, PyObject *host) {
    PyObject *heap = entry(turns->of[PARKED], address);
    if (heap) return is_heads(heap) && push_flat((Heads *)heap, key, host);
    heap = PyErr_Occurred() ? NULL : PyObject_CallNoArgs((PyObject *)heads_type);
    int done = heap && push_flat((Heads *)heap, key, host) && PyDict_SetItem(turns->of[PARKED], address, heap) == 0;
    Py_XDECREF(heap);
    return done;
}

/* The head of a host; None if nothing waits there. */
static PyObject *head_at(const Turns *turns, PyObject *host) {
    PyObject *head = turns->of[HEAD];
    if (Py_TYPE(head) != head_of_type) return PyObject_CallFunctionObjArgs(head, host, NULL);
    return head_of(((HeadOf *)head)->queues, host, ((HeadOf *)head)->place_type);
}

static int offer_host(const Turns *turns, PyObject *host) {
    PyObject *key = head_at(turns, host), *address = address_of(turns, host);
    int shut = key && address ? is_shut(turns, address) : -1;
    int closed = shut < 0 ? -1 : PyDict_Contains(turns->of[CLOSED], host);
    int done = closed >= 0 && key == Py_None;
    if (closed < 0 || done) goto end;
    if ((shut || closed) && !shut_out(turns, host, key)) goto end;
    PyObject *standing = entry(turns->of[STANDING], host);
    done = closed || (standing && !is_before(key, standing));
    if (done || PyErr_Occurred()) goto end;
    if (PyDict_SetItem(turns->of[STANDING], host, key) < 0) goto end;
    if (!(shut ? park(turns, address, key, host) : push_flat((Heads *)turns->of[HEADS], key, host))) goto end;
    PyObject *heap = shut ? entry(turns->of[PARKED], address) : turns->of[HEADS];
    Py_ssize_t most = 2 * PyDict_Size(turns->of[STANDING]) + SWEEP_BEYOND;
    done = is_heads(heap) && ((Py_ssize_t)((Heads *)heap)->count <= most || call(turns->own, N__sweep, heap));
end:
    Py_XDECREF(key);
    return done && !PyErr_Occurred();
}

static int open_host(const Turns *turns, PyObject *host) {
    if (PyDict_DelItem(turns->of[CLOSED], host) < 0) return 0;
    if (entry(turns->of[SHUT_AT], host) && PyDict_DelItem(turns->of[SHUT_AT], host) < 0) return 0;
    return !PyErr_Occurred() && offer_host(turns, host);
}

/* Opens a host or an address for which the time has come, if that is still the time for it. */
static int open_again(const Turns *turns, PyObject *at, PyObject *is_address, PyObject *name) {
    PyObject *table = is_address == Py_True ? turns->of[ADDRESS_UNTIL] : turns->of[CLOSED], *until = entry(table, name);
    if (until == NULL) return !PyErr_Occurred();
    int now = PyObject_RichCompareBool(until, at, Py_EQ);
    if (now < 1) return now == 0;
    if (is_address != Py_True) return open_host(turns, name);
    return PyDict_DelItem(table, name) == 0 && come_forward(turns, name);
}

static int reopen(const Turns *turns, PyObject *now) {
    while (PyList_Size(turns->of[REOPENING]) > 0) {
        PyObject *at = PyTuple_GetItem(PyList_GetItem(turns->of[REOPENING], 0), 0);
        int due = at ? PyObject_RichCompareBool(at, now, Py_LE) : -1;
        if (due < 1) return due == 0;
        PyObject *first = heappop(NULL, turns->of[REOPENING]), *is_address, *name;
        int done = first && PyArg_ParseTuple(first, "OOO", &at, &is_address, &name) &&
                   open_again(turns, at, is_address, name);
        Py_XDECREF(first);
        if (!done) return 0;
    }
    return 1;
}

/* Looks at the best of the heads: 1 if it is that of an open host, 0 if it was dropped, -1 with an error. */
static int try_first(const Turns *turns, PyObject *key, PyObject *host) {
    PyObject *address = address_of(turns, host), *standing = address ? entry(turns->of[STANDING], host) : NULL;
    int same_key = standing ? PyObject_RichCompareBool(standing, key, Py_EQ) : 0;
    if (address == NULL || same_key < 0 || PyErr_Occurred()) return -1;
    if (!same_key) return drop_first(turns->of[HEADS]) && come_forward(turns, address) ? 0 : -1;
    int closed = PyDict_Contains(turns->of[CLOSED], host), shut = is_shut(turns, address);
    if (closed < 0 || shut < 0) return -1;
    if (!closed && shut)
        return drop_first(turns->of[HEADS]) && park(turns, address, key, host) && shut_out(turns, host, key) ? 0 : -1;
    if (!closed) {
        PyObject *now = head_at(turns, host);
        same_key = now ? PyObject_RichCompareBool(now, key, Py_EQ) : -1;
        Py_XDECREF(now);
        if (same_key) return same_key;
    }
    if (!drop_first(turns->of[HEADS]) || PyDict_DelItem(turns->of[STANDING], host) < 0) return -1;
    if (!closed && !offer_host(turns, host)) return -1; /* else it was shut out when it was closed */
    return come_forward(turns, address) ? 0 : -1;
}

/* best(turns, now) -> the open host with the smallest head, or None */
static PyObject *best(PyObject *module, PyObject *const *args, Py_ssize_t n) {
    (void)module;
    Turns turns;
    PyObject *found = NULL;
    if (n != 2) return PyErr_Format(PyExc_TypeError, "turns and a time are asked for");
    if (!look_at(&turns, args[0])) return NULL;
    int fine = reopen(&turns, args[1]);
    const Heads *heads = (const Heads *)turns.of[HEADS];
    while (fine && !found && heads->count) {
        PyObject *key = Py_NewRef(heads->entries->key), *host = Py_NewRef(heads->entries->host);
        int course = try_first(&turns, key, host);
        fine = course >= 0;
        if (course == 1) found = Py_NewRef(host);
        Py_DECREF(key), Py_DECREF(host);
    }
    leave(&turns);
    return fine && !found ? Py_NewRef(Py_None) : found;
}

/* offer(turns, host): takes note of its head */
static PyObject *offer_to_turns(PyObject *module, PyObject *const *args, Py_ssize_t n) {
    (void)module;
    Turns turns;
    if (n != 2) return PyErr_Format(PyExc_TypeError, "turns and a host are asked for");
    if (!look_at(&turns, args[0])) return NULL;
    int done = offer_host(&turns, args[1]);
    leave(&turns);
    return done ? Py_NewRef(Py_None) : NULL;
}

/* Closes a host and its address. */
static int close_host(const Turns *turns, PyObject *host) {
    PyObject *address, *key = NULL;
    int done = PyDict_SetItem(turns->of[CLOSED], host, Py_None) == 0 && (key = head_at(turns, host)) != NULL &&
               (key == Py_None || shut_out(turns, host, key)) && (address = address_of(turns, host)) != NULL &&
               (address == no_text || PyObject_IsTrue(address) == 0 || PySet_Add(turns->of[ADDRESS_OUT], address) == 0);
    Py_XDECREF(key);
    return done;
}

/* Offers to turns the hosts of which the head improved: see `Turns.offer`. */
static int offer(PyObject *own, PyObject *hosts) {
    PyObject *host, *nothing;
    Turns turns;
    int fine = look_at(&turns, own);
    if (!fine) return 0;
    for (Py_ssize_t at = 0; fine && PyDict_Next(hosts, &at, &host, &nothing);) fine = offer_host(&turns, host);
    leave(&turns);
    return fine;
}

/* lease(turns, host) */
static PyObject *lease(PyObject *module, PyObject *const *args, Py_ssize_t n) {
    (void)module;
    Turns turns;
    if (n != 2) return PyErr_Format(PyExc_TypeError, "turns and a host are asked for");
    if (!look_at(&turns, args[0])) return NULL;
    int done = close_host(&turns, args[1]);
    leave(&turns);
    return done ? Py_NewRef(Py_None) : NULL;
}

/* Lets an address rest, until the later of this time and the one that is known. */
static int rest_address(const Turns *turns, PyObject *address, PyObject *until) {
    PyObject *known = entry(turns->of[ADDRESS_UNTIL], address);
    int later = known ? PyObject_RichCompareBool(known, until, Py_GT) : PyErr_Occurred() ? -1 : 0;
    if (later < 0) return 0;
    PyObject *coming = PyTuple_Pack(3, later ? known : until, Py_True, address);
    int done = coming && PyDict_SetItem(turns->of[ADDRESS_UNTIL], address, later ? known : until) == 0 &&
               push(turns->of[REOPENING], coming);
    Py_XDECREF(coming);
    return done;
}

static int rest_host(const Turns *turns, PyObject *host, PyObject *until) {
    PyObject *coming = PyTuple_Pack(3, until, Py_False, host);
    int done = coming && PyDict_SetItem(turns->of[CLOSED], host, until) == 0 && push(turns->of[REOPENING], coming);
    Py_XDECREF(coming);
    return done;
}

/* Whether a host has a trouble is noted, if that is told. */
static int note_trouble(const Turns *turns, PyObject *host, PyObject *told) {
    if (told == Py_None) return 1;
    PyObject *in_trouble = turns->of[IN_TROUBLE];
    return (told == Py_True ? PySet_Add(in_trouble, host) : PySet_Discard(in_trouble, host)) >= 0;
}

/* Lets a host and its address rest: 1. 0, and nothing is done, if the host has another address now; -1 with an error. */
static int settle_host(const Turns *turns, PyObject *host, PyObject *rest) {
    PyObject *address = LOOK(rest, address), *until = LOOK(rest, host_until);
    PyObject *address_until = LOOK(rest, address_until), *told = LOOK(rest, in_trouble);
    PyObject *before = address_of(turns, host);
    if (!address || !until || !address_until || !told || !before) return -1;
    if (PyObject_IsTrue(address) && PyObject_RichCompareBool(address, before, Py_EQ) != 1) return PyErr_Occurred() ? -1 : 0;
    if (PyObject_IsTrue(before) &&
        (PySet_Discard(turns->of[ADDRESS_OUT], before) < 0 || !rest_address(turns, before, address_until)))
        return -1;
    return note_trouble(turns, host, told) && rest_host(turns, host, until) && !PyErr_Occurred() ? 1 : -1;
}

/* settle(turns, host, rest) -> whether that is done */
static PyObject *settle(PyObject *module, PyObject *const *args, Py_ssize_t n) {
    (void)module;
    Turns turns;
    if (n != 3) return PyErr_Format(PyExc_TypeError, "turns, a host and a rest are asked for");
    if (!look_at(&turns, args[0])) return NULL;
    int done = settle_host(&turns, args[1], args[2]);
    leave(&turns);
    return done < 0 ? NULL : PyBool_FromLong(done);
}

/* Appends when a host reopens, its address, and whether it is in trouble, as `Turns.row` tells them. 0, with or without an
 * error, if that is not plain. */
static int pack_turn(Run *run, const Turns *turns, PyObject *host) {
    PyObject *until = entry(turns->of[CLOSED], host), *address = PyErr_Occurred() ? NULL : address_of(turns, host);
    int troubled = address ? PySet_Contains(turns->of[IN_TROUBLE], host) : -1;
    if (troubled < 0 || !add_byte(run, 0x93)) return 0;
    if (!(until == NULL ? add_byte(run, 0) : until == Py_None ? add_byte(run, 0xC0) : pack_whole(run, until))) return 0;
    return pack_text(run, address) && add_byte(run, troubled ? 0xC3 : 0xC2);
}

/* put_turns(turns, hosts, put, packed): puts the row of each host, as Python packs it if it is not plain */
static PyObject *put_turns(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *own, *hosts, *put, *packed, *host, *nothing;
    Turns turns;
    Run run = {0};
    if (!PyArg_ParseTuple(args, "OO!OO", &own, &PyDict_Type, &hosts, &put, &packed) || !look_at(&turns, own)) return NULL;
    int fine = 1;
    for (Py_ssize_t at = 0; fine && PyDict_Next(hosts, &at, &host, &nothing);) {
        run.length = 0;
        PyObject *row = NULL;
        if (pack_turn(&run, &turns, host))
            row = PyBytes_FromStringAndSize((const char *)run.bytes, (Py_ssize_t)run.length);
        else if (!PyErr_Occurred())
            row = PyObject_CallFunctionObjArgs(packed, host, NULL);
        fine = tell(put, row_name('t', host, NULL, 0), row, 1);
    }
    free(run.bytes);
    leave(&turns);
    return fine ? Py_NewRef(Py_None) : NULL;
}

/* -- leases -------------------------------------------------------------------------------------------------------- */

/* Takes an entry out of a dictionary, if it is there. */
static int drop_entry(PyObject *dict, PyObject *key) {
    if (entry(dict, key)) return PyDict_DelItem(dict, key) == 0;
    return !PyErr_Occurred();
}

/* Lets a place say all that its record on disk does: see `HostQueues.whole`. 0, with or without an error, if Python is to. */
static int make_whole(PyObject *queues, PyObject *place) {
    static const int TOLD[] = {N_order, N_attempt, N_via};
    int64_t order;
    int file, done;
    if (!whole_of(LOOK(place, order), &order)) return 0;
    if (order >= 0) return 1;
    PyObject *row = LOOK(place, pointer), *key = LOOK(place, key), *host = LOOK(place, host), *found = NULL;
    done = row && key && host && file_of(queues, &file) &&
           (found = read_place(row, key, host, file, (PyObject *)Py_TYPE(place))) != NULL;
    for (int i = 0; done && i < 3; i++) {
        PyObject *told = attribute(found, TOLD[i]);
        done = told && set_attribute(place, TOLD[i], told) == 0;
        Py_XDECREF(told);
    }
    Py_XDECREF(found);
    return done;
}

/* What a frontier notes of leases: the tables of `DiskFrontier`, of which none is ever replaced. */
enum { ON_DESK = 7 };
typedef struct {
    PyObject *own, *queues, *changed, *settled, *leased, *places_out, *rested, *addresses;
    Turns turns;
} Desk;

static void leave_desk(Desk *desk) {
    leave(&desk->turns);
    Py_XDECREF(desk->own);
}

/* Finds the tables of a frontier. 0 and an error if one is missing. */
static int find_desk(PyObject *frontier, Desk *desk) {
    PyObject *turns = ATTR(frontier, _turns), **const found[] = {&desk->queues, &desk->changed,    &desk->settled, &desk->leased,
                                                                 &desk->places_out, &desk->rested, &desk->addresses};
    int fine = turns && look_at(&desk->turns, turns);
    Py_XDECREF(turns); /* the frontier keeps them */
    if (!fine) return 0;
    desk->own = ATTR(frontier, _desk);
    for (int i = 0; fine && i < ON_DESK; i++)
        fine = desk->own && (*found[i] = PyTuple_GetItem(desk->own, i)) && (i == 0 || PyDict_Check(*found[i]));
    if (fine) return 1;
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "a table of the frontier is missing");
    leave_desk(desk);
    return 0;
}

/* Notes that a place is leased as what is asked for. */
static int note_lease(PyObject *frontier, const Desk *desk, PyObject *place, PyObject *asked, int is_stored) {
    PyObject *url = LOOK(place, url), *host = LOOK(place, host);
    int64_t pending;
    return PyDict_SetItem(desk->changed, url, Py_None) == 0 && drop_entry(desk->settled, url) &&
           PyDict_SetItem(desk->leased, url, asked) == 0 && PyDict_SetItem(desk->places_out, url, place) == 0 &&
           whole_of(LOOK(frontier, _pending), &pending) && put_number(frontier, N__pending, pending - 1) &&
           take_out(desk->queues, host, LOOK(place, key), is_stored) && close_host(&desk->turns, host) &&
           PyDict_SetItem(desk->rested, host, Py_None) == 0;
}

/* hand_out(frontier, place, is_stored, Request, Link) -> what is asked for; None, and nothing is done, if Python is to do
 * it. No revisits wait, and the frontier has no quota. */
static PyObject *hand_out(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *frontier, *place, *request_type, *link_type, *made = NULL;
    int is_stored;
    Desk desk;
    if (!PyArg_ParseTuple(args, "OOpOO", &frontier, &place, &is_stored, &request_type, &link_type)) return NULL;
    if (!find_desk(frontier, &desk)) return NULL;
    if (make_whole(desk.queues, place)) made = request_by(place, request_type, link_type);
    if (made && made != Py_None && !note_lease(frontier, &desk, place, made, is_stored)) Py_CLEAR(made);
    leave_desk(&desk);
    return made || PyErr_Occurred() ? made : Py_NewRef(Py_None);
}

/* take_back(frontier, url, rest) -> the place of a URL whose visit is over; None, and nothing is done, if Python is to do
 * it. No revisits wait. */
static PyObject *take_back(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *frontier, *url, *rest, *place, *host, *address;
    Desk desk;
    if (!PyArg_ParseTuple(args, "OOO", &frontier, &url, &rest) || !find_desk(frontier, &desk)) return NULL;
    place = entry(desk.leased, url) ? Py_XNewRef(entry(desk.places_out, url)) : NULL;
    host = place ? LOOK(place, host) : NULL;
    int done = host ? settle_host(&desk.turns, host, rest) : 0;
    if (done > 0)
        done = (address = address_of(&desk.turns, host)) != NULL &&
                       (address == no_text || PyDict_SetItem(desk.addresses, address, Py_None) == 0) &&
                       PyDict_DelItem(desk.leased, url) == 0 && PyDict_DelItem(desk.places_out, url) == 0 &&
                       PyDict_SetItem(desk.rested, host, Py_None) == 0
                   ? 1
                   : -1;
    if (done < 1) Py_CLEAR(place);
    leave_desk(&desk);
    return place || PyErr_Occurred() ? place : Py_NewRef(Py_None);
}

static PyMethodDef methods[] = {
    {"know", know, METH_O, "Looks at the fields of a class of records where they lie."},
    {"heappush", (PyCFunction)(void (*)(void))heappush, METH_FASTCALL, "As heapq does."},
    {"heappop", heappop, METH_O, "As heapq does."},
    {"unread", unread, METH_VARARGS, "The URLs that memory knows nothing of."},
    {"unread_places", unread_places, METH_VARARGS, "The rows of places that memory does not have."},
    {"obey", obey_all, METH_VARARGS, "Lets new URLs wait, and gives others new places."},
    {"head", (PyCFunction)(void (*)(void))head, METH_FASTCALL, "The smallest key of a host."},
    {"first", (PyCFunction)(void (*)(void))first_place, METH_FASTCALL, "What stands at the head of a host."},
    {"take", (PyCFunction)(void (*)(void))take, METH_FASTCALL, "One URL less waits at a host."},
    {"request", (PyCFunction)(void (*)(void))request, METH_FASTCALL, "What is asked for, by its place."},
    {"next_rows", next_rows, METH_VARARGS, "The next places of an iterator."},
    {"hand_out", hand_out, METH_VARARGS, "Leases a place."},
    {"take_back", take_back, METH_VARARGS, "Ends a lease."},
    {"place_at", place_at, METH_VARARGS, "The place whose record lies in a file."},
    {"best", (PyCFunction)(void (*)(void))best, METH_FASTCALL, "The open host with the smallest head."},
    {"offer", (PyCFunction)(void (*)(void))offer_to_turns, METH_FASTCALL, "Takes note of the head of a host."},
    {"lease", (PyCFunction)(void (*)(void))lease, METH_FASTCALL, "Closes a host and its address."},
    {"settle", (PyCFunction)(void (*)(void))settle, METH_FASTCALL, "Lets a host rest."},
    {"put_turns", put_turns, METH_VARARGS, "Writes the rows of hosts."},
    {"waiting", waiting, METH_VARARGS, "The places of URLs that wait, by host."},
    {"put_places", put_places, METH_VARARGS, "Writes the rows of URLs that wait, and their records."},
    {"put_outcomes", put_outcomes, METH_VARARGS, "Writes the rows of URLs that do not."},
    {"put_queues", put_queues, METH_VARARGS, "Writes the rows of queues."},
    {"delete_places", delete_places, METH_VARARGS, "Deletes the rows of places."},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "lycosa.frontier._queues", NULL, -1, methods, NULL, NULL, NULL,
                                    NULL};

PyMODINIT_FUNC PyInit__queues(void) {
    fill_tables();
    for (int i = 0; i < N_COUNT; i++)
        if ((names[i] = PyUnicode_InternFromString(SPELLED[i])) == NULL) return NULL;
    no_bytes = PyBytes_FromStringAndSize("", 0), no_text = PyUnicode_FromString(""), no_things = PyTuple_New(0);
    PyObject *made = no_bytes && no_text && no_things ? PyModule_Create(&module) : NULL;
    heads_type = made ? (PyTypeObject *)PyType_FromSpec(&heads_spec) : NULL; /* for as long as the process lives */
    if (made && (heads_type == NULL || PyModule_AddObjectRef(made, "Heads", (PyObject *)heads_type) < 0)) Py_CLEAR(made);
    head_of_type = made ? (PyTypeObject *)PyType_FromSpec(&head_of_spec) : NULL;
    if (made && (head_of_type == NULL || PyModule_AddObjectRef(made, "HeadOf", (PyObject *)head_of_type) < 0))
        Py_CLEAR(made);
    if (made && PyModule_AddIntConstant(made, "SOURCE", SOURCE) < 0) Py_CLEAR(made);
    return made;
}
