/* What the hunter counts and adds up a page, on a few dozen numbers, where calls of numpy take longer than the work:
 * `lycosa.strategies.hunter`'s `texts`, `packing`, `queries` and `evidence`, which explain it, with the same answers bit for bit.
 * Tests compare the two.
 *
 * Arrays come as buffers of this machine's numbers, side by side. Whole numbers may have 32 or 64 bits, others too. */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif
#ifndef SOURCE
#define SOURCE 0 /* the CRC-32 of this file, which the build gives */
#endif

enum { BLOCK = 128, PASS = 64 };
#ifdef __GNUC__
#define AHEAD(address) __builtin_prefetch(address) /* it is read soon */
#else
#define AHEAD(address) ((void)0)
#endif
static const double LEAST = 1e-9;

/* -- arrays ---------------------------------------------------------------------------------------------------- */

typedef struct {
    Py_buffer view;
    char kind; /* of its numbers: i whole, f floating, b bytes, ? none of these */
    int held;
    size_t size;
} Array;

static char kind_of(const Py_buffer *view) {
    const char *f = view->format ? view->format : "B";
    if (*f == '@' || *f == '=') f++;
    if (f[0] == 0 || f[1] != 0) return '?';
    if (*f == 'B' || *f == '?') return 'b';
    if (strchr("ilq", *f) && (view->itemsize == 4 || view->itemsize == 8)) return 'i';
    return (*f == 'f' && view->itemsize == 4) || (*f == 'd' && view->itemsize == 8) ? 'f' : '?';
}

/* Takes hold of an array of such numbers, of `wide` bytes each (0: 4 or 8); 0 and an error if it is none. */
static int hold(Array *array, PyObject *given, char kind, Py_ssize_t wide, int writable) {
    array->held = 0;
    if (PyObject_GetBuffer(given, &array->view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0)))
        return 0;
    array->held = 1;
    array->kind = kind_of(&array->view);
    array->size = array->view.itemsize ? (size_t)(array->view.len / array->view.itemsize) : 0;
    if (array->kind == kind && (wide == 0 || array->view.itemsize == wide)) return 1;
    PyErr_SetString(PyExc_TypeError, "an array of other numbers is asked for");
    return 0;
}

static void let_go(Array *arrays, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (arrays[i].held) PyBuffer_Release(&arrays[i].view);
}

static int64_t whole(const Array *array, size_t at) {
    return array->view.itemsize == 4 ? ((const int32_t *)array->view.buf)[at] : ((const int64_t *)array->view.buf)[at];
}

static double number(const Array *array, size_t at) {
    return array->view.itemsize == 4 ? (double)((const float *)array->view.buf)[at]
                                     : ((const double *)array->view.buf)[at];
}

static PyObject *outside(void) {
    PyErr_SetString(PyExc_IndexError, "a number lies outside its table");
    return NULL;
}

static int is_in(int64_t at, size_t size) { return at >= 0 && (uint64_t)at < size; }

/* -- names ------------------------------------------------------------------------------------------------------ */

/* Distinct texts by number, in UTF-8, one after the other, each with a line feed behind it; a table of what is known of
 * their hashes, in open addressing, finds them. */
typedef struct {
    PyObject_HEAD
    char *run;
    int64_t *ends;       /* where each text ends, without its line feed */
    int32_t *slots;      /* the number of the text at each place of the table */
    unsigned char *tags; /* of each place: 0 if it is free, else a part of the text's hash */
    size_t used, room, count, ends_room, size;
    Py_ssize_t exported;
} Names;

typedef struct {
    const char *text;
    size_t length;
    uint64_t hash;
    PyObject *held; /* the text, where it had to be made */
} Name;

static uint64_t seed; /* of each process another: who makes up URLs cannot tell which of them meet in a table */

static uint64_t hash_of(const char *text, size_t length) {
    uint64_t h = seed ^ length, part;
    for (; length >= 8; text += 8, length -= 8) {
        memcpy(&part, text, 8);
        h = (h ^ part) * 0xFF51AFD7ED558CCDu;
        h ^= h >> 32;
    }
    part = 0;
    memcpy(&part, text, length);
    h = (h ^ part) * 0xC4CEB9FE1A85EC53u;
    return h ^ h >> 29;
}

static unsigned char tag_of(uint64_t hash) { return (unsigned char)(hash >> 57 | 1u << 7); }

static int read_name(PyObject *given, Name *name) {
    Py_ssize_t length;
    name->held = NULL;
    if (!PyUnicode_Check(given)) {
        PyErr_SetString(PyExc_TypeError, "a name is text");
        return 0;
    }
    name->text = PyUnicode_AsUTF8AndSize(given, &length);
    if (name->text == NULL) { /* half a pair of surrogates */
        PyErr_Clear();
        name->held = PyUnicode_AsEncodedString(given, "utf-8", "surrogatepass");
        if (name->held == NULL) return 0;
        name->text = PyBytes_AsString(name->held);
        length = PyBytes_Size(name->held);
    }
    name->length = (size_t)length;
    name->hash = hash_of(name->text, name->length);
    return 1;
}

static size_t begin_of(const Names *own, size_t number) { return number ? (size_t)own->ends[number - 1] + 1 : 0; }

/* The place of a text in the table, or a free one for it. */
static size_t place_of(const Names *own, const Name *name) {
    unsigned char tag = tag_of(name->hash);
    size_t at = (size_t)name->hash & (own->size - 1);
    for (; own->tags[at]; at = (at + 1) & (own->size - 1)) {
        if (own->tags[at] != tag) continue;
        size_t number = (size_t)own->slots[at], begin = begin_of(own, number);
        if ((size_t)own->ends[number] - begin == name->length && !memcmp(own->run + begin, name->text, name->length))
            break;
    }
    return at;
}

static int64_t find_name(const Names *own, const Name *name) {
    if (own->size == 0) return -1;
    size_t at = place_of(own, name);
    return own->tags[at] ? own->slots[at] : -1;
}

static int out_of_memory(void) {
    PyErr_NoMemory();
    return 0;
}

/* Room in the table for one text more: at most 4 of 5 places are taken. */
static int has_place(Names *own) {
    if (5 * (own->count + 1) <= 4 * own->size) return 1;
    size_t size = own->size ? 2 * own->size : 64;
    int32_t *slots = malloc(size * sizeof *slots);
    unsigned char *tags = calloc(size, 1);
    if (slots == NULL || tags == NULL) {
        free(slots), free(tags);
        return out_of_memory();
    }
    for (size_t i = 0; i < own->count; i++) {
        size_t begin = begin_of(own, i);
        uint64_t hash = hash_of(own->run + begin, (size_t)own->ends[i] - begin);
        size_t at = (size_t)hash & (size - 1);
        while (tags[at]) at = (at + 1) & (size - 1);
        slots[at] = (int32_t)i;
        tags[at] = tag_of(hash);
    }
    free(own->slots), free(own->tags);
    own->slots = slots, own->tags = tags, own->size = size;
    return 1;
}

/* The number of a text, the next for one that is new; -1 and an error. */
static int64_t enter_name(Names *own, const Name *name) {
    int64_t found = find_name(own, name);
    if (found >= 0) return found;
    if (own->exported) {
        PyErr_SetString(PyExc_BufferError, "names are being read");
        return -1;
    }
    if (own->count == INT32_MAX) {
        PyErr_SetString(PyExc_OverflowError, "there are too many names");
        return -1;
    }
    if (!has_place(own)) return -1;
    if (own->used + name->length + 1 > own->room) {
        size_t room = own->used + name->length + own->room / 8 + 1024;
        char *run = realloc(own->run, room);
        if (run == NULL) return out_of_memory() - 1;
        own->run = run, own->room = room;
    }
    if (own->count == own->ends_room) {
        size_t room = own->count + own->count / 8 + 64;
        int64_t *ends = realloc(own->ends, room * sizeof *ends);
        if (ends == NULL) return out_of_memory() - 1;
        own->ends = ends, own->ends_room = room;
    }
    size_t at = place_of(own, name);
    memcpy(own->run + own->used, name->text, name->length);
    own->run[own->used + name->length] = '\n';
    own->ends[own->count] = (int64_t)(own->used + name->length);
    own->used += name->length + 1;
    own->slots[at] = (int32_t)own->count;
    own->tags[at] = tag_of(name->hash);
    return (int64_t)own->count++;
}

/* The number that a text without one got among `new`, where it gets the next; -1 and an error. */
static int64_t new_number_of(PyObject *text, PyObject *new, size_t known) {
    if (!PyUnicode_CheckExact(text)) { /* its hash may run code */
        PyErr_SetString(PyExc_TypeError, "a name is plain text");
        return -1;
    }
    PyObject *found = PyDict_GetItemWithError(new, text);
    if (found) return PyLong_AsLongLong(found);
    if (PyErr_Occurred()) return -1;
    int64_t next = (int64_t)known + PyDict_Size(new);
    PyObject *made = PyLong_FromLongLong(next);
    if (made == NULL || PyDict_SetItem(new, text, made) < 0) next = -1;
    Py_XDECREF(made);
    return next;
}

enum { ASKED, ENTERED }; /* what has no number: has -1, gets the next */

/* Has what is asked of some texts fetched from memory, in passes: what lies far apart is waited for together. */
static void look_ahead(const Names *own, const Name *some, size_t count) {
    for (size_t i = 0; own->size && i < count; i++) {
        size_t at = (size_t)some[i].hash & (own->size - 1);
        AHEAD(own->tags + at);
        AHEAD(own->slots + at);
    }
    for (size_t i = 0; own->size && i < count; i++) {
        size_t at = (size_t)some[i].hash & (own->size - 1);
        if (own->tags[at]) AHEAD(own->ends + own->slots[at]);
    }
    for (size_t i = 0; own->size && i < count; i++) {
        size_t at = (size_t)some[i].hash & (own->size - 1);
        if (own->tags[at]) AHEAD(own->run + begin_of(own, (size_t)own->slots[at]));
    }
}

/* The numbers of many texts. 0 and an error if that failed. Nothing of this runs other code, so that what is borrowed stays. */
static int number_all(Names *own, PyObject **texts, size_t count, int how, int64_t *told) {
    Name some[PASS];
    for (size_t first = 0; first < count && !PyErr_Occurred(); first += PASS) {
        size_t n = count - first < PASS ? count - first : PASS, read = 0;
        while (read < n && read_name(texts[first + read], &some[read])) read++;
        look_ahead(own, some, read);
        for (size_t i = 0; i < read; i++) {
            if (!PyErr_Occurred()) {
                told[first + i] = how == ENTERED ? enter_name(own, &some[i]) : find_name(own, &some[i]);
            }
            Py_XDECREF(some[i].held);
        }
    }
    return !PyErr_Occurred();
}

/* Room for so many numbers and as many texts; 0 and an error. */
typedef struct {
    int64_t *numbers;
    PyObject **texts;
} Asked;

static int has_asked(Asked *asked, size_t count) {
    asked->numbers = malloc((count + 1) * sizeof *asked->numbers);
    asked->texts = malloc((count + 1) * sizeof *asked->texts);
    return asked->numbers && asked->texts ? 1 : out_of_memory();
}

static void forget(Asked *asked) { free(asked->numbers), free(asked->texts); }

static PyObject *numbers_of(Names *own, PyObject *names, int how) {
    if (!PyList_Check(names)) {
        PyErr_SetString(PyExc_TypeError, "a list is asked for");
        return NULL;
    }
    Asked asked;
    PyObject *result = NULL;
    size_t count = (size_t)PyList_Size(names);
    if (has_asked(&asked, count)) {
        for (size_t i = 0; i < count; i++) asked.texts[i] = PyList_GetItem(names, (Py_ssize_t)i);
        if (number_all(own, asked.texts, count, how, asked.numbers))
            result = PyBytes_FromStringAndSize((char *)asked.numbers, (Py_ssize_t)(count * 8));
    }
    forget(&asked);
    return result;
}

static PyObject *names_numbers(PyObject *self, PyObject *names) { return numbers_of((Names *)self, names, ASKED); }

static PyObject *names_enter_all(PyObject *self, PyObject *names) { return numbers_of((Names *)self, names, ENTERED); }

static PyObject *number_of_one(PyObject *self, PyObject *given, int enter) {
    Name name;
    if (!read_name(given, &name)) return NULL;
    int64_t found = enter ? enter_name((Names *)self, &name) : find_name((Names *)self, &name);
    Py_XDECREF(name.held);
    return PyErr_Occurred() ? NULL : PyLong_FromLongLong(found);
}

static PyObject *names_number(PyObject *self, PyObject *name) { return number_of_one(self, name, 0); }

static PyObject *names_enter(PyObject *self, PyObject *name) { return number_of_one(self, name, 1); }

static PyObject *text_of(const Names *own, size_t number) {
    size_t begin = begin_of(own, number);
    return PyUnicode_DecodeUTF8(own->run + begin, (Py_ssize_t)((size_t)own->ends[number] - begin), "surrogatepass");
}

static PyObject *names_between(PyObject *self, PyObject *args) {
    Names *own = (Names *)self;
    Py_ssize_t first, end;
    if (!PyArg_ParseTuple(args, "nn", &first, &end)) return NULL;
    if (first < 0 || end < first || (size_t)end > own->count) return outside();
    PyObject *result = PyList_New(end - first);
    for (Py_ssize_t i = first; result && i < end; i++) {
        PyObject *name = text_of(own, (size_t)i);
        if (name == NULL || PyList_SetItem(result, i - first, name)) Py_CLEAR(result);
    }
    return result;
}

static PyObject *names_at(PyObject *self, PyObject *given) {
    Names *own = (Names *)self;
    Array a = {.held = 0};
    PyObject *result = NULL;
    if (!hold(&a, given, 'i', 8, 0)) goto end;
    const int64_t *numbers = a.view.buf;
    result = PyList_New((Py_ssize_t)a.size);
    for (size_t i = 0; result && i < a.size; i++) {
        PyObject *name = is_in(numbers[i], own->count) ? text_of(own, (size_t)numbers[i]) : outside();
        if (name == NULL || PyList_SetItem(result, (Py_ssize_t)i, name)) Py_CLEAR(result);
    }
end:
    let_go(&a, 1);
    return result;
}

static PyObject *names_load(PyObject *self, PyObject *given) {
    Names *own = (Names *)self;
    Py_buffer view;
    if (own->exported || own->count) {
        PyErr_SetString(PyExc_ValueError, "there are names already");
        return NULL;
    }
    if (PyObject_GetBuffer(given, &view, PyBUF_SIMPLE)) return NULL;
    const char *text = view.buf, *end = text + view.len;
    while (view.len && text <= end && !PyErr_Occurred()) {
        const char *stop = text < end ? memchr(text, '\n', (size_t)(end - text)) : NULL;
        size_t length = (size_t)((stop ? stop : end) - text);
        Name name = {text, length, hash_of(text, length), NULL};
        enter_name(own, &name);
        text += length + 1;
    }
    PyBuffer_Release(&view);
    if (PyErr_Occurred()) return NULL;
    Py_RETURN_NONE;
}

static Py_ssize_t names_length(PyObject *self) { return (Py_ssize_t)((Names *)self)->count; }

/* The run of bytes, without the last line feed. Nothing can be added while it is read. */
static int names_buffer(PyObject *self, Py_buffer *view, int flags) {
    Names *own = (Names *)self;
    size_t length = own->used ? own->used - 1 : 0;
    if (PyBuffer_FillInfo(view, self, own->run ? own->run : "", (Py_ssize_t)length, 1, flags)) return -1;
    own->exported++;
    return 0;
}

static void names_release(PyObject *self, Py_buffer *view) {
    (void)view;
    ((Names *)self)->exported--;
}

static void names_free(PyObject *self) {
    Names *own = (Names *)self;
    PyTypeObject *type = Py_TYPE(self);
    free(own->run), free(own->ends), free(own->slots), free(own->tags);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyMethodDef names_methods[] = {
    {"number", names_number, METH_O, "The number of a name; -1 of one that has none."},
    {"numbers", names_numbers, METH_O, "The numbers of names."},
    {"enter", names_enter, METH_O, "The number of a name; a new one gets the next."},
    {"enter_all", names_enter_all, METH_O, "The numbers of names; new ones get the next."},
    {"between", names_between, METH_VARARGS, "The names from one number to another."},
    {"at", names_at, METH_O, "The names of numbers."},
    {"load", names_load, METH_O, "Takes in the names of a run of bytes."},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot names_slots[] = {
    {Py_tp_doc, "Distinct texts by number."},
    {Py_tp_new, PyType_GenericNew},
    {Py_tp_dealloc, names_free},
    {Py_tp_methods, names_methods},
    {Py_sq_length, names_length},
    {Py_bf_getbuffer, names_buffer},
    {Py_bf_releasebuffer, names_release},
    {0, NULL},
};
static PyTypeObject *names_type;
static PyType_Spec names_spec = {"lycosa.scoring._hunting.Names", sizeof(Names), 0, Py_TPFLAGS_DEFAULT, names_slots};

/* -- words ----------------------------------------------------------------------------------------------------- */

/* counted(terms, names) -> (numbers of the terms, their counts); new terms get the next */
static PyObject *counted(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *terms, *names, *term, *count, *counts = NULL, *result = NULL;
    if (!PyArg_ParseTuple(args, "O!O!", &PyDict_Type, &terms, names_type, &names)) return NULL;
    Py_ssize_t n = PyDict_Size(terms), at = 0, i = 0;
    Asked asked;
    if (!has_asked(&asked, (size_t)n) || (counts = PyBytes_FromStringAndSize(NULL, n * 8)) == NULL) goto end;
    double *times = (double *)PyBytes_AsString(counts);
    while (i < n && PyDict_Next(terms, &at, &term, &count)) {
        AHEAD(term);
        if (!PyLong_CheckExact(count)) {
            PyErr_SetString(PyExc_TypeError, "a count is a whole number");
            goto end;
        }
        times[i] = PyLong_AsDouble(count);
        if (times[i] == -1.0 && PyErr_Occurred()) goto end;
        asked.texts[i++] = term;
    }
    if (number_all((Names *)names, asked.texts, (size_t)i, ENTERED, asked.numbers))
        result = Py_BuildValue("(y#O)", (char *)asked.numbers, i * 8, counts);
end:
    forget(&asked);
    Py_XDECREF(counts);
    return result;
}

/* squared(counts) -> the sum of the squares of the counts of a text, None if they are other than whole numbers or large */
static PyObject *squared(PyObject *module, PyObject *counts) {
    (void)module;
    PyObject *term, *count;
    Py_ssize_t at = 0;
    int64_t sum = 0;
    if (!PyDict_Check(counts)) {
        PyErr_SetString(PyExc_TypeError, "counts are a dictionary");
        return NULL;
    }
    while (PyDict_Next(counts, &at, &term, &count)) {
        int64_t times = PyLong_CheckExact(count) ? PyLong_AsLongLong(count) : INT64_MAX;
        if (PyErr_Occurred()) PyErr_Clear();
        if (times < 0 || times > INT32_MAX || sum > INT64_MAX / 2) Py_RETURN_NONE;
        sum += times * times;
    }
    return PyLong_FromLongLong(sum);
}

static int by_size(const void *one, const void *other) {
    int64_t a = *(const int64_t *)one, b = *(const int64_t *)other;
    return (a > b) - (a < b);
}

static void sort(int64_t *numbers, size_t count) {
    if (count > 32) {
        qsort(numbers, count, sizeof *numbers, by_size);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        int64_t own = numbers[i];
        size_t at = i;
        for (; at > 0 && numbers[at - 1] > own; at--) numbers[at] = numbers[at - 1];
        numbers[at] = own;
    }
}

/* Counts the numbers of several texts, each between two bounds -> (the distinct numbers of each text, ascending, their counts,
 * where each text begins and the end). The numbers and bounds given are written over. */
static PyObject *counted_apart(int64_t *numbers, int64_t *bounds, size_t count) {
    size_t used = 0, at = 0;
    double *times = malloc(((size_t)bounds[count] + 1) * sizeof *times);
    if (times == NULL) return PyErr_NoMemory();
    for (size_t i = 0; i < count; i++) {
        size_t until = (size_t)bounds[i + 1];
        sort(numbers + at, until - at);
        for (; at < until; at++) {
            if (used > (size_t)bounds[i] && numbers[used - 1] == numbers[at]) {
                times[used - 1] += 1.0;
            } else {
                numbers[used] = numbers[at];
                times[used++] = 1.0;
            }
        }
        bounds[i + 1] = (int64_t)used;
    }
    PyObject *result = Py_BuildValue("(y#y#y#)", (char *)numbers, (Py_ssize_t)(used * 8), (char *)times,
                                     (Py_ssize_t)(used * 8), (char *)bounds, (Py_ssize_t)((count + 1) * 8));
    free(times);
    return result;
}

/* What is remembered of words: the number of the term of each, -1 of those left out, as many as have room. */
typedef struct {
    Names *words;
    int32_t *terms;
    size_t room;
} Remembered;

enum { LEFT_OUT = -1, FAILED = -2, LONGEST = 64 };

/* The number of the term of a word that is not remembered, which `memory` knows or learns. It is remembered from now on, but
 * for terms that have their numbers for this once. */
static int64_t learn_word(const Name *word, PyObject *memory, Names *names, PyObject *new, Remembered *known) {
    PyObject *made = PyUnicode_DecodeUTF8(word->text, (Py_ssize_t)word->length, NULL);
    PyObject *term = made ? PyObject_GetItem(memory, made) : NULL;
    Name name = {.held = NULL};
    int64_t number = FAILED;
    if (term && read_name(term, &name)) {
        number = name.length == 0 ? LEFT_OUT : new ? find_name(names, &name) : enter_name(names, &name);
        int stays = name.length == 0 || number >= 0;
        if (!stays && new) number = new_number_of(term, new, names->count);
        if (stays && known->words->count < known->room && word->length <= LONGEST) {
            int64_t at = enter_name(known->words, word);
            if (at >= 0 && is_in(at, known->room)) known->terms[at] = (int32_t)number;
        }
    }
    Py_XDECREF(name.held);
    Py_XDECREF(term);
    Py_XDECREF(made);
    return PyErr_Occurred() ? FAILED : number;
}

/* The numbers of words, text by text; where each text ends. */
typedef struct {
    int64_t *numbers, *bounds;
    size_t used, room;
} Numbered;

/* Numbers the words of one text, which stand between blanks; 0 and an error. */
static int number_words(const char *text, size_t length, PyObject *memory, Names *names, PyObject *new,
                        Remembered *known, Numbered *to) {
    if (to->used + length / 2 + 1 > to->room) {
        size_t room = 2 * to->room + length / 2 + 256;
        int64_t *longer = realloc(to->numbers, room * sizeof *longer);
        if (longer == NULL) return out_of_memory();
        to->numbers = longer, to->room = room;
    }
    for (size_t at = 0; at < length;) {
        Name some[PASS];
        size_t n = 0;
        for (; n < PASS && at < length; at++) {
            if (text[at] == ' ') continue;
            const char *blank = memchr(text + at, ' ', length - at);
            size_t wide = (size_t)((blank ? blank : text + length) - (text + at));
            some[n++] = (Name){text + at, wide, hash_of(text + at, wide), NULL};
            at += wide;
        }
        look_ahead(known->words, some, n);
        for (size_t i = 0; i < n; i++) {
            int64_t place = find_name(known->words, &some[i]);
            int64_t number = is_in(place, known->room) ? known->terms[place]
                                                       : learn_word(&some[i], memory, names, new, known);
            if (number == FAILED) return 0;
            if (number >= 0) to->numbers[to->used++] = number;
        }
    }
    return 1;
}

static char plain_of[256]; /* letters in lower case, digits, and for all else a blank */

/* Numbers the words of one text, which `words_in` tells if it is not plain; `plain` is room that grows. 0 and an error. */
static int number_text(PyObject *given, PyObject *words_in, char **plain, size_t *room, PyObject *memory, Names *names,
                       PyObject *new, Remembered *known, Numbered *to) {
    Py_ssize_t length;
    if (!PyUnicode_Check(given)) {
        PyErr_SetString(PyExc_TypeError, "texts are asked for");
        return 0;
    }
    const char *text = PyUnicode_AsUTF8AndSize(given, &length);
    if (text == NULL && PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) PyErr_Clear(); /* half a pair of surrogates */
    if (text == NULL || length != PyUnicode_GetLength(given)) {
        PyObject *words = PyErr_Occurred() ? NULL : PyObject_CallFunctionObjArgs(words_in, given, NULL);
        char *run;
        int done = words && PyBytes_AsStringAndSize(words, &run, &length) == 0 &&
                   number_words(run, (size_t)length, memory, names, new, known, to);
        Py_XDECREF(words);
        return done;
    }
    if ((size_t)length > *room) {
        char *longer = realloc(*plain, 2 * (size_t)length);
        if (longer == NULL) return out_of_memory();
        *plain = longer, *room = 2 * (size_t)length;
    }
    for (Py_ssize_t i = 0; i < length; i++) (*plain)[i] = plain_of[(unsigned char)text[i]];
    return number_words(*plain, (size_t)length, memory, names, new, known, to);
}

/* numbered(texts, words_in, memory, names, for good, words, terms) -> (numbers of the distinct terms of each text, ascending,
 * their counts, where each text begins and the end). Terms that are new get the next numbers, else for this once. `words` and
 * `terms` are what is remembered between calls with the same memory and names. */
static PyObject *numbered(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *texts, *words_in, *memory, *names, *words, *terms, *new = NULL, *result = NULL;
    int for_good;
    Array a = {.held = 0};
    Numbered to = {NULL, NULL, 0, 0};
    char *plain = NULL;
    size_t room = 0;
    if (!PyArg_ParseTuple(args, "O!OO!O!pO!O", &PyList_Type, &texts, &words_in, &PyDict_Type, &memory, names_type, &names,
                          &for_good, names_type, &words, &terms) ||
        !hold(&a, terms, 'i', 4, 1) || (!for_good && (new = PyDict_New()) == NULL))
        goto end;
    Remembered known = {(Names *)words, a.view.buf, a.size};
    Py_ssize_t count = PyList_Size(texts), i = 0;
    if ((to.bounds = calloc((size_t)count + 1, sizeof *to.bounds)) == NULL) {
        PyErr_NoMemory();
        goto end;
    }
    for (int goes_on = 1; goes_on && i < count; i++) {
        PyObject *text = PyList_GetItem(texts, i); /* NULL and an error of a list that was made shorter meanwhile */
        if (text == NULL) goto end;
        Py_INCREF(text);
        goes_on = number_text(text, words_in, &plain, &room, memory, (Names *)names, new, &known, &to);
        Py_DECREF(text);
        to.bounds[i + 1] = (int64_t)to.used;
    }
    if (!PyErr_Occurred()) result = counted_apart(to.numbers, to.bounds, (size_t)count);
end:
    free(to.numbers), free(to.bounds), free(plain);
    Py_XDECREF(new);
    let_go(&a, 1);
    return result;
}

enum { MARKS = 64 };

/* Some short texts that are looked for, and by each letter which of them have it, in either case, as the first and as the
 * second: those with the same mark share a bit. */
typedef struct {
    const char *text[MARKS];
    size_t length[MARKS], count;
    uint64_t first[256], second[256];
} Wanted;

/* 0 and an error if they are no texts. */
static int read_wanted(Wanted *wanted, PyObject *beginnings) {
    memset(wanted, 0, sizeof *wanted);
    wanted->count = (size_t)PyTuple_Size(beginnings);
    for (size_t k = 0; k < wanted->count; k++) {
        Py_ssize_t length;
        wanted->text[k] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(beginnings, (Py_ssize_t)k), &length);
        if (wanted->text[k] == NULL) return 0;
        wanted->length[k] = (size_t)length;
        uint64_t mark = (uint64_t)1 << k;
        for (size_t letter = 0; letter < 256; letter++) {
            unsigned char small = letter >= 'A' && letter <= 'Z' ? (unsigned char)(letter + 32) : (unsigned char)letter;
            if (length < 1 || small == (unsigned char)wanted->text[k][0]) wanted->first[letter] |= mark;
            if (length < 2 || small == (unsigned char)wanted->text[k][1]) wanted->second[letter] |= mark;
        }
    }
    return 1;
}

/* Whether one of those that are marked begins here. */
static int begins_here(const Wanted *wanted, uint64_t marks, const char *text, size_t length) {
    for (size_t k = 0; k < wanted->count; k++) {
        if (!(marks >> k & 1) || wanted->length[k] > length) continue;
        size_t i = 0;
        for (; i < wanted->length[k]; i++) {
            char small = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] + 32) : text[i];
            if (small != wanted->text[k][i]) break;
        }
        if (i == wanted->length[k]) return 1;
    }
    return 0;
}

/* holding(texts, beginnings) -> the places of the texts that hold one of at most 64 beginnings, in either case, and of all that
 * are not of ASCII, for others to look at */
static PyObject *holding(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *texts, *beginnings;
    Wanted wanted;
    if (!PyArg_ParseTuple(args, "O!O!", &PyList_Type, &texts, &PyTuple_Type, &beginnings)) return NULL;
    if (PyTuple_Size(beginnings) > MARKS) return outside();
    if (!read_wanted(&wanted, beginnings)) return NULL;
    PyObject *result = PyList_New(0);
    for (Py_ssize_t at = 0; result && at < PyList_Size(texts); at++) {
        Py_ssize_t length;
        PyObject *given = PyList_GetItem(texts, at);
        const char *text = PyUnicode_AsUTF8AndSize(given, &length);
        int holds = text == NULL || length != PyUnicode_GetLength(given);
        if (text == NULL && PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) PyErr_Clear(); /* half a pair of surrogates */
        for (Py_ssize_t i = 0; !holds && i < length; i++) {
            uint64_t marks = wanted.first[(unsigned char)text[i]] & wanted.second[(unsigned char)text[i + 1]];
            if (marks) holds = begins_here(&wanted, marks, text + i, (size_t)(length - i));
        }
        PyObject *place = holds && !PyErr_Occurred() ? PyLong_FromSsize_t(at) : NULL;
        if (PyErr_Occurred() || (place && PyList_Append(result, place))) Py_CLEAR(result);
        Py_XDECREF(place);
    }
    return result;
}

static uint32_t crc_of[256];

static void fill_tables(void) {
    for (uint32_t i = 0; i < 256; i++) {
        int is_small = (i >= 'a' && i <= 'z') || (i >= '0' && i <= '9');
        plain_of[i] = (char)(is_small ? i : i >= 'A' && i <= 'Z' ? i + 32 : ' ');
        uint32_t c = i;
        for (int bit = 0; bit < 8; bit++) c = c & 1 ? c >> 1 ^ 0xEDB88320u : c >> 1;
        crc_of[i] = c;
    }
}

/* The CRC-32 of a text in UTF-8; -1 of an empty one, -2 and an error of what is no text. */
static int64_t sum_of_text(PyObject *given) {
    Name name;
    if (!read_name(given, &name)) return -2;
    const unsigned char *s = (const unsigned char *)name.text;
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t i = 0; i < name.length; i++) crc = crc_of[(crc ^ s[i]) & 0xFF] ^ crc >> 8;
    Py_XDECREF(name.held);
    return name.length ? (int64_t)(uint32_t)~crc : -1;
}

static size_t place_of_key(int64_t key, size_t size) {
    uint64_t h = ((uint64_t)key ^ seed) * 0xFF51AFD7ED558CCDu;
    return (size_t)(((h ^ h >> 32) * 0xC4CEB9FE1A85EC53u >> 32) * size >> 32);
}

/* Puts keys into a table, -1 in whose places are free: to `places` go those of the keys that it did not have, of equal ones the
 * first. How many these are; -1 and an error. */
static Py_ssize_t enter_keys(const Array *table, const int64_t *keys, size_t count, int64_t *places) {
    int64_t *there = table->view.buf;
    size_t size = table->size, found = 0;
    if (size == 0 || size > UINT32_MAX) {
        outside();
        return -1;
    }
    for (size_t i = 0; i < count; i++) AHEAD(&there[place_of_key(keys[i], size)]);
    for (size_t i = 0; i < count; i++) {
        size_t at = place_of_key(keys[i], size), tried = 0;
        while (there[at] != keys[i] && there[at] != -1 && ++tried < size) at = at + 1 < size ? at + 1 : 0;
        if (keys[i] < 0 || tried == size) {
            outside();
            return -1;
        }
        if (there[at] == -1) {
            there[at] = keys[i];
            places[found++] = (int64_t)i;
        }
    }
    return (Py_ssize_t)found;
}

/* enter(table, keys) -> the places of the keys that the table does not have, of equal ones the first; now it has them. */
static PyObject *enter(PyObject *module, PyObject *args) {
    (void)module;
    Array a[2] = {{.held = 0}, {.held = 0}};
    PyObject *table, *keys, *result = NULL;
    int64_t *places = NULL;
    if (!PyArg_ParseTuple(args, "OO", &table, &keys)) return NULL;
    if (hold(&a[0], table, 'i', 8, 1) && hold(&a[1], keys, 'i', 8, 0)) {
        places = malloc((a[1].size + 1) * sizeof *places);
        Py_ssize_t found = places ? enter_keys(&a[0], a[1].view.buf, a[1].size, places) : out_of_memory() - 1;
        if (found >= 0) result = PyBytes_FromStringAndSize((const char *)places, found * 8);
    }
    free(places);
    let_go(a, 2);
    return result;
}

/* Of some keys, each a node with, below, the sum of a text: (the nodes, the sums, the texts). */
static PyObject *parted(const int64_t *keys, const int64_t *which, size_t count, PyObject *texts, const int64_t *places) {
    PyObject *owners = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(count * 4));
    PyObject *sums = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(count * 4)), *new = PyList_New((Py_ssize_t)count);
    if (owners && sums && new) {
        int32_t *owner = (int32_t *)PyBytes_AsString(owners);
        uint32_t *sum = (uint32_t *)PyBytes_AsString(sums);
        for (size_t i = 0; i < count; i++) {
            owner[i] = (int32_t)(keys[which[i]] >> 32), sum[i] = (uint32_t)keys[which[i]];
            PyObject *text = PyList_GetItem(texts, (Py_ssize_t)places[which[i]]);
            Py_INCREF(text);
            PyList_SetItem(new, (Py_ssize_t)i, text);
        }
    }
    PyObject *result = owners && sums && new ? PyTuple_Pack(3, owners, sums, new) : NULL;
    Py_XDECREF(owners), Py_XDECREF(sums), Py_XDECREF(new);
    return result;
}

/* wordings(texts, targets, node, table) -> of the texts that lead to other nodes than this one, and that the table does not know
 * of these: (the nodes as whole numbers of 32 bits, the sums, the texts); now it knows them. */
static PyObject *wordings(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *texts, *targets, *table, *result = NULL;
    Py_ssize_t node;
    Array a[2] = {{.held = 0}, {.held = 0}};
    int64_t *room = NULL;
    if (!PyArg_ParseTuple(args, "O!OnO", &PyList_Type, &texts, &targets, &node, &table)) return NULL;
    if (!hold(&a[0], targets, 'i', 8, 0) || !hold(&a[1], table, 'i', 8, 1)) goto end;
    const int64_t *target = a[0].view.buf;
    size_t count = a[0].size, n = 0;
    if ((size_t)PyList_Size(texts) != count) {
        outside();
        goto end;
    }
    if ((room = malloc((3 * count + 1) * sizeof *room)) == NULL) {
        PyErr_NoMemory();
        goto end;
    }
    int64_t *places = room, *found = room + count, *new = found + count;
    for (size_t i = 0; i < count; i++) {
        if (target[i] < 0 || target[i] > INT32_MAX || target[i] == (int64_t)node) continue;
        int64_t sum = sum_of_text(PyList_GetItem(texts, (Py_ssize_t)i));
        if (sum == -2) goto end;
        if (sum < 0) continue;
        places[n] = (int64_t)i;
        found[n++] = target[i] << 32 | sum;
    }
    Py_ssize_t fresh = enter_keys(&a[1], found, n, new);
    if (fresh >= 0) result = parted(found, new, (size_t)fresh, texts, places);
end:
    free(room);
    let_go(a, 2);
    return result;
}

/* distinct(numbers, one) -> the distinct ones, in order, without this one, as whole numbers of 32 bits */
static PyObject *distinct(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *given, *result = NULL;
    Py_ssize_t one;
    Array a = {.held = 0};
    int32_t *found = NULL, *table = NULL;
    if (!PyArg_ParseTuple(args, "On", &given, &one) || !hold(&a, given, 'i', 8, 0)) goto end;
    const int64_t *number = a.view.buf;
    size_t size = 16, n = 0;
    while (size < 2 * a.size) size *= 2;
    found = malloc((a.size + 1) * sizeof *found);
    table = calloc(size, sizeof *table); /* each number plus 1; 0: nothing is here */
    if (found == NULL || table == NULL) {
        PyErr_NoMemory();
        goto end;
    }
    for (size_t i = 0; i < a.size; i++) {
        if (number[i] == (int64_t)one) continue;
        if (number[i] < 0 || number[i] >= INT32_MAX) {
            outside();
            goto end;
        }
        int32_t key = (int32_t)number[i] + 1;
        size_t at = ((uint32_t)key * 0x9E3779B1u >> 7) & (size - 1);
        while (table[at] && table[at] != key) at = (at + 1) & (size - 1);
        if (table[at]) continue;
        table[at] = key;
        found[n++] = key - 1;
    }
    result = PyBytes_FromStringAndSize((char *)found, (Py_ssize_t)(n * sizeof *found));
end:
    free(found), free(table);
    let_go(&a, 1);
    return result;
}

/* -- packed texts ----------------------------------------------------------------------------------------------- */

/* Each term of a text is an entry: its number times 16, and how often it occurs, 0 where that is above 15. The first
 * entries, so many of them are `narrow`, have 3 bytes, all others 4, the lowest first. */
enum { COUNT_BITS = 4, MOST_COUNTED = 15, NARROW = 3, WIDE = 4 };

/* Where an entry begins. */
static size_t offset_of(size_t at, size_t narrow) { return at < narrow ? NARROW * at : WIDE * at - narrow; }

static uint32_t entry_at(const unsigned char *bytes, size_t at, size_t narrow) {
    const unsigned char *from = bytes + offset_of(at, narrow);
    uint32_t found = (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16;
    return at < narrow ? found : found | (uint32_t)from[3] << 24;
}

/* The term of a narrow entry. */
static size_t term_in(const unsigned char *bytes) {
    return (size_t)bytes[0] >> COUNT_BITS | (size_t)bytes[1] << 4 | (size_t)bytes[2] << 12;
}

/* How many entries lie in so many bytes. */
static size_t entries_in(size_t size, size_t narrow) {
    return size / NARROW <= narrow ? size / NARROW : narrow + (size - NARROW * narrow) / WIDE;
}

/* pack(terms, counts, bounds, first, end, bytes of an entry, before) -> (the entries of some texts; where each of these ends,
 * if the first begins at `before`; the places of counts without room in an entry, b"" of none) */
static PyObject *pack(PyObject *module, PyObject *args) {
    (void)module;
    Array a[3] = {{.held = 0}, {.held = 0}, {.held = 0}};
    PyObject *terms, *counts, *bounds, *entries = NULL, *ends = NULL, *result = NULL;
    Py_ssize_t first, end, width, before, rare = 0;
    int64_t *often = NULL;
    if (!PyArg_ParseTuple(args, "OOOnnnn", &terms, &counts, &bounds, &first, &end, &width, &before)) return NULL;
    if (width != NARROW && width != WIDE) {
        PyErr_SetString(PyExc_ValueError, "an entry has 3 or 4 bytes");
        return NULL;
    }
    if (!hold(&a[0], terms, 'i', 0, 0) || !hold(&a[1], counts, 'f', 8, 0) || !hold(&a[2], bounds, 'i', 8, 0)) goto end;
    const double *count = a[1].view.buf;
    const int64_t *bound = a[2].view.buf;
    int fits = first >= 0 && first <= end && (size_t)end < a[2].size && a[1].size == a[0].size;
    for (Py_ssize_t i = first; fits && i <= end; i++)
        fits = is_in(bound[i], a[0].size + 1) && (i == first || bound[i - 1] <= bound[i]);
    if (!fits) {
        outside();
        goto end;
    }
    size_t since = (size_t)bound[first], until = (size_t)bound[end];
    entries = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(until - since) * width);
    ends = PyBytes_FromStringAndSize(NULL, (end - first) * 8);
    often = malloc((until - since + 1) * sizeof *often);
    if (entries == NULL || ends == NULL || often == NULL) {
        if (!PyErr_Occurred()) PyErr_NoMemory();
        goto end;
    }
    int64_t *to_ends = (int64_t *)PyBytes_AsString(ends), most = (int64_t)1 << (8 * width - COUNT_BITS);
    for (Py_ssize_t i = first; i < end; i++) to_ends[i - first] = bound[i + 1] - bound[first] + before;
    unsigned char *to = (unsigned char *)PyBytes_AsString(entries);
    for (size_t i = since; i < until; i++) {
        int64_t term = whole(&a[0], i);
        if (!is_in(term, (size_t)most)) {
            PyErr_Format(PyExc_OverflowError, "a term's number has no room in %zd bytes", width);
            goto end;
        }
        int fits_in = count[i] <= MOST_COUNTED;
        if (!fits_in) often[rare++] = (int64_t)i;
        uint32_t entry = (uint32_t)term << COUNT_BITS | (fits_in && count[i] >= 0.0 ? (uint32_t)count[i] : 0);
        for (Py_ssize_t k = 0; k < width; k++) *to++ = (unsigned char)(entry >> 8 * k);
    }
    result = Py_BuildValue("(OOy#)", entries, ends, (char *)often, rare * 8);
end:
    free(often);
    Py_XDECREF(entries), Py_XDECREF(ends);
    let_go(a, 3);
    return result;
}

/* unpack(entries, narrow, weight of each count, since, until) -> (some terms as whole numbers of 32 bits, their weights) */
static PyObject *unpack(PyObject *module, PyObject *args) {
    (void)module;
    Array a[2] = {{.held = 0}, {.held = 0}};
    PyObject *entries, *weight_of, *numbers = NULL, *weights = NULL, *result = NULL;
    Py_ssize_t narrow, since, until;
    if (!PyArg_ParseTuple(args, "OnOnn", &entries, &narrow, &weight_of, &since, &until)) return NULL;
    if (!hold(&a[0], entries, 'b', 1, 0) || !hold(&a[1], weight_of, 'f', 4, 0)) goto end;
    if (narrow < 0 || since < 0 || until < since || (size_t)until > entries_in(a[0].size, (size_t)narrow) ||
        a[1].size <= MOST_COUNTED) {
        outside();
        goto end;
    }
    size_t n = (size_t)(until - since);
    numbers = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)n * 4);
    weights = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)n * 4);
    if (numbers == NULL || weights == NULL) goto end;
    const float *table = a[1].view.buf;
    int32_t *to = (int32_t *)PyBytes_AsString(numbers);
    float *found = (float *)PyBytes_AsString(weights);
    for (size_t i = 0; i < n; i++) {
        uint32_t entry = entry_at(a[0].view.buf, (size_t)since + i, (size_t)narrow);
        to[i] = (int32_t)(entry >> COUNT_BITS);
        found[i] = table[entry & MOST_COUNTED];
    }
    result = PyTuple_Pack(2, numbers, weights);
end:
    Py_XDECREF(numbers), Py_XDECREF(weights);
    let_go(a, 2);
    return result;
}

/* Packed texts: their entries, how many of these are narrow, and where each text ends. */
typedef struct {
    Array entries, ends;
    size_t narrow;
} Texts;

/* Takes hold of them; 0 and an error. */
static int hold_packed(Texts *texts, PyObject *entries, Py_ssize_t narrow, PyObject *ends) {
    texts->entries.held = texts->ends.held = 0;
    texts->narrow = narrow > 0 ? (size_t)narrow : 0;
    if (!hold(&texts->entries, entries, 'b', 1, 0) || !hold(&texts->ends, ends, 'i', 8, 0)) return 0;
    if (narrow >= 0) return 1;
    outside();
    return 0;
}

static void let_packed_go(Texts *texts) {
    let_go(&texts->entries, 1);
    let_go(&texts->ends, 1);
}

/* Where the text at a place begins, and in `until` where it ends; -1 and an error if there is none. */
static int64_t begin_of_text(const Texts *texts, PyObject *at, size_t *until) {
    Py_ssize_t place = at ? PyLong_AsSsize_t(at) : -1;
    if (PyErr_Occurred()) return -1;
    const int64_t *ends = texts->ends.view.buf;
    size_t all = entries_in(texts->entries.size, texts->narrow);
    if (place < 0 || (uint64_t)place + 1 >= texts->ends.size || ends[place] < 0 || ends[place] > ends[place + 1] ||
        (uint64_t)ends[place + 1] > all) {
        outside();
        return -1;
    }
    *until = (size_t)ends[place + 1];
    return ends[place];
}

static uint32_t term_of(const Texts *texts, size_t at) {
    return entry_at(texts->entries.view.buf, at, texts->narrow) >> COUNT_BITS;
}

/* share_new(entries, narrow, ends, place, others) -> the share of a text's terms that none of the others has; each text lies
 * between two ends */
static PyObject *share_new(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *entries, *ends, *place, *others, *result = NULL;
    Py_ssize_t narrow;
    Texts texts = {.entries = {.held = 0}, .ends = {.held = 0}};
    uint64_t *left = NULL; /* a bit for each term of the text that no other was seen to have */
    if (!PyArg_ParseTuple(args, "OnOOO!", &entries, &narrow, &ends, &place, &PyList_Type, &others)) return NULL;
    size_t until = 0, n, met = 0;
    if (!hold_packed(&texts, entries, narrow, ends)) goto end;
    int64_t begin = begin_of_text(&texts, place, &until);
    if (begin < 0) goto end;
    uint32_t most = 0;
    for (size_t at = (size_t)begin; at < until; at++)
        if (term_of(&texts, at) > most) most = term_of(&texts, at);
    n = until - (size_t)begin;
    if ((left = calloc((size_t)most / 64 + 1, sizeof *left)) == NULL) {
        PyErr_NoMemory();
        goto end;
    }
    for (size_t at = (size_t)begin; at < until; at++) {
        uint32_t term = term_of(&texts, at);
        left[term / 64] |= (uint64_t)1 << term % 64;
    }
    for (Py_ssize_t i = 0; i < PyList_Size(others); i++) {
        if ((begin = begin_of_text(&texts, PyList_GetItem(others, i), &until)) < 0) goto end;
        for (size_t at = (size_t)begin; at < until; at++) {
            uint32_t term = term_of(&texts, at);
            if (term > most) continue;
            uint64_t bit = (uint64_t)1 << term % 64;
            met += (left[term / 64] & bit) != 0;
            left[term / 64] &= ~bit;
        }
    }
    result = PyFloat_FromDouble(n ? 1.0 - (double)met / (double)n : 1.0);
end:
    free(left);
    let_packed_go(&texts);
    return result;
}

/* held(entries, narrow, ends, places, width) -> for each of so many terms how many of the texts at some places have it */
static PyObject *held(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *entries, *ends, *places, *result = NULL;
    Py_ssize_t narrow, width;
    Texts texts = {.entries = {.held = 0}, .ends = {.held = 0}};
    if (!PyArg_ParseTuple(args, "OnOO!n", &entries, &narrow, &ends, &PyList_Type, &places, &width)) return NULL;
    if (!hold_packed(&texts, entries, narrow, ends)) goto end;
    if (width < 0) {
        outside();
        goto end;
    }
    if ((result = PyBytes_FromStringAndSize(NULL, width * 8)) == NULL) goto end;
    double *found = (double *)PyBytes_AsString(result);
    for (Py_ssize_t t = 0; t < width; t++) found[t] = 0.0;
    for (Py_ssize_t i = 0; !PyErr_Occurred() && i < PyList_Size(places); i++) {
        size_t until = 0;
        int64_t begin = begin_of_text(&texts, PyList_GetItem(places, i), &until);
        for (size_t at = (size_t)begin; begin >= 0 && at < until; at++) {
            uint32_t term = term_of(&texts, at);
            if (!is_in(term, (size_t)width)) {
                outside();
                break;
            }
            found[term] += 1.0;
        }
    }
    if (PyErr_Occurred()) Py_CLEAR(result);
end:
    let_packed_go(&texts);
    return result;
}

/* -- sums ------------------------------------------------------------------------------------------------------- */

/* Σ of n numbers in the order in which numpy adds them up. */
static double pairwise(const double *a, size_t n, size_t step) {
    if (n < 8) {
        double sum = -0.0;
        for (size_t i = 0; i < n; i++) sum += a[i * step];
        return sum;
    }
    if (n > BLOCK) {
        size_t half = n / 2;
        half -= half % 8;
        return pairwise(a, half, step) + pairwise(a + half * step, n - half, step);
    }
    double r[8];
    for (size_t k = 0; k < 8; k++) r[k] = a[k * step];
    size_t i = 8;
    for (; i < n - n % 8; i += 8)
        for (size_t k = 0; k < 8; k++) r[k] += a[(i + k) * step];
    double sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
    for (; i < n; i++) sum += a[i * step];
    return sum;
}

/* As `numpy.add.reduceat` adds up one part. */
static double reduced(const double *a, size_t n, size_t step) {
    return n == 1 ? *a : *a + pairwise(a + step, n - 1, step);
}

/* total(numbers) -> their sum */
static PyObject *total(PyObject *module, PyObject *given) {
    (void)module;
    Array a = {.held = 0};
    PyObject *result = NULL;
    if (hold(&a, given, 'f', 8, 0)) result = PyFloat_FromDouble(a.size ? reduced(a.view.buf, a.size, 1) : 0.0);
    let_go(&a, 1);
    return result;
}

/* Room that grows. */
typedef struct {
    double *at;
    size_t size;
} Room;

static int has_room(Room *room, size_t size) {
    if (size <= room->size) return 1;
    size += size / 2 + 64;
    double *longer = realloc(room->at, size * sizeof *longer);
    if (longer == NULL) {
        PyErr_NoMemory();
        return 0;
    }
    room->at = longer;
    room->size = size;
    return 1;
}

/* Texts one after the other: their terms and how much each counts, as numbers or as entries. */
typedef struct {
    Array terms, weights, bounds, of_counts, often, many; /* entries in place of terms have no weights, but the last three */
    const int64_t *begins;                                  /* of each text that is asked for, and the end of the last */
    int packed;
    size_t narrow, count, next; /* of texts; of what occurs too often for an entry, that behind what was asked for last */
} Told;

/* Takes hold of texts: (terms, weights, bounds), or of packed ones (entries, bounds, narrow, weight of each count, where
 * counts have no room in an entry, their weights), of these all or (…, first, end) some. */
static int hold_texts(Told *told, PyObject *given) {
    PyObject *of[6] = {NULL};
    Py_ssize_t narrow = 0, first = 0, end = -1, parts = PyTuple_Size(given);
    memset(told, 0, sizeof *told);
    if (parts != 3 && parts != 6 && parts != 8) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "texts have three parts, packed ones six or eight");
        return 0;
    }
    if (parts == 3 ? !PyArg_ParseTuple(given, "OOO", &of[0], &of[1], &of[2])
                   : !PyArg_ParseTuple(given, "OOnOOO|nn", &of[0], &of[2], &narrow, &of[3], &of[4], &of[5], &first, &end))
        return 0;
    told->packed = parts != 3;
    told->narrow = narrow > 0 ? (size_t)narrow : 0;
    if (!hold(&told->terms, of[0], told->packed ? 'b' : 'i', told->packed ? 1 : 0, 0) ||
        !hold(&told->bounds, of[2], 'i', 8, 0))
        return 0;
    if (!told->packed && !hold(&told->weights, of[1], 'f', 0, 0)) return 0;
    if (told->packed && (!hold(&told->of_counts, of[3], 'f', 4, 0) || !hold(&told->often, of[4], 'i', 8, 0) ||
                         !hold(&told->many, of[5], 'f', 4, 0)))
        return 0;
    size_t terms = told->packed ? entries_in(told->terms.size, told->narrow) : told->terms.size;
    const int64_t *bounds = told->bounds.view.buf;
    if (parts != 8) end = (Py_ssize_t)told->bounds.size - 1;
    int fits = first >= 0 && first <= end && (size_t)end < told->bounds.size;
    fits = fits && (told->packed ? narrow >= 0 && told->of_counts.size > MOST_COUNTED && told->often.size == told->many.size
                                 : told->weights.size == terms);
    for (Py_ssize_t i = first; fits && i <= end; i++)
        fits = is_in(bounds[i], terms + 1) && (i == first || bounds[i - 1] <= bounds[i]);
    told->begins = bounds + first;
    told->count = (size_t)(end - first);
    if (!fits) outside();
    return fits;
}

static void let_texts_go(Told *told) {
    Array *all[] = {&told->terms, &told->weights, &told->bounds, &told->of_counts, &told->often, &told->many};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) let_go(all[i], 1);
}

static int64_t term_at(const Told *told, size_t at) {
    if (!told->packed) return whole(&told->terms, at);
    return entry_at(told->terms.view.buf, at, told->narrow) >> COUNT_BITS;
}

/* How much a term counts that occurs too often for an entry. Places are asked for one after the other, mostly. */
static double weight_of_many(Told *told, size_t at) {
    const int64_t *often = told->often.view.buf;
    if (told->next && often[told->next - 1] >= (int64_t)at) told->next = 0;
    for (size_t above = told->next ? 0 : told->often.size; told->next < above;) { /* of texts in the middle of many */
        size_t middle = told->next + (above - told->next) / 2;
        if (often[middle] < (int64_t)at) told->next = middle + 1;
        else above = middle;
    }
    while (told->next < told->often.size && often[told->next] < (int64_t)at) told->next++;
    int is_there = told->next < told->often.size && often[told->next] == (int64_t)at;
    return is_there ? ((const float *)told->many.view.buf)[told->next] : 0.0;
}

static double weight_at(Told *told, size_t at) {
    if (!told->packed) return number(&told->weights, at);
    uint32_t count = entry_at(told->terms.view.buf, at, told->narrow) & MOST_COUNTED;
    return count ? ((const float *)told->of_counts.view.buf)[count] : weight_of_many(told, at);
}

/* The next place before `until` of a term that `rows` have, or `until`; -1 if a term lies outside their table of so many. */
static int64_t next_hit(const Told *told, const int32_t *rows, size_t known, size_t at, size_t until) {
    if (told->packed && at < told->narrow) { /* most of what is looked through */
        const unsigned char *bytes = (const unsigned char *)told->terms.view.buf + NARROW * at;
        for (size_t end = until < told->narrow ? until : told->narrow; at < end; at++, bytes += NARROW) {
            size_t term = term_in(bytes);
            if (term >= known) return -1;
            if (rows[term]) return (int64_t)at;
        }
    }
    for (; at < until; at++) {
        int64_t term = term_at(told, at);
        if (!is_in(term, known)) return -1;
        if (rows[term]) break;
    }
    return (int64_t)at;
}

/* √Σ_t (x_t w_t)² of one text. */
static int length_of(Told *told, const double *rarity, size_t known, size_t since, size_t until, Room *room,
                     double *length) {
    if (!has_room(room, until - since)) return 0;
    double *squares = room->at;
    size_t i = since;
    if (told->packed) { /* most of them */
        const float *weight_of = told->of_counts.view.buf;
        const unsigned char *bytes = (const unsigned char *)told->terms.view.buf + NARROW * since;
        for (size_t end = until < told->narrow ? until : told->narrow; i < end; i++, bytes += NARROW) {
            size_t count = bytes[0] & MOST_COUNTED, term = term_in(bytes);
            if (term >= known) break; /* which is told below */
            double value = rarity[term] * (count ? weight_of[count] : weight_of_many(told, i));
            squares[i - since] = value * value;
        }
    }
    for (; i < until; i++) {
        int64_t term = term_at(told, i);
        if (!is_in(term, known)) {
            outside();
            return 0;
        }
        double value = rarity[term] * weight_at(told, i);
        squares[i - since] = value * value;
    }
    double found = sqrt(reduced(squares, until - since, 1));
    *length = found >= LEAST || isnan(found) ? found : LEAST;
    return 1;
}

/* Whether the columns of a table's row that are asked for are not all 0. */
static int holds_any(const double *row, size_t first, size_t end) {
    for (size_t c = first; c < end; c++)
        if (row[c] != 0.0) return 1;
    return 0;
}

/* The columns that texts are compared with, and room for what that takes. */
typedef struct {
    Array rarity, rows, table; /* rarities and rows of terms; the rows */
    size_t known, kept, columns;
    Room products, squares, found, like; /* the last one of whole numbers */
} Compared;
_Static_assert(sizeof(int64_t) == sizeof(double), "room for the one is room for the other");

/* Takes hold of them; 0 and an error. */
static int hold_compared(Compared *with, PyObject *rarity, PyObject *rows, PyObject *table, Py_ssize_t columns) {
    memset(with, 0, sizeof *with);
    if (!hold(&with->rarity, rarity, 'f', 8, 0) || !hold(&with->rows, rows, 'i', 4, 0) ||
        !hold(&with->table, table, 'f', 8, 0))
        return 0;
    if (columns < 1) {
        outside();
        return 0;
    }
    with->columns = (size_t)columns;
    with->known = with->rows.size < with->rarity.size ? with->rows.size : with->rarity.size;
    with->kept = with->table.size / with->columns;
    return 1;
}

static void let_compared_go(Compared *with) {
    Array *all[] = {&with->rarity, &with->rows, &with->table};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) let_go(all[i], 1);
    free(with->products.at), free(with->squares.at), free(with->found.at), free(with->like.at);
}

/* How many texts are alike, in `like` and `found` which ones and their cosines with the columns from `first` to `end`; see
 * `cosines`. -1 and an error. */
static Py_ssize_t compare(Compared *with, Told *told, double *lengths, size_t first, size_t end, int strict) {
    const int64_t *bounds = told->begins;
    const int32_t *rows = with->rows.view.buf;
    const double *rarity = with->rarity.view.buf, *table = with->table.view.buf;
    size_t wide = end - first, known = with->known, alike = 0, text = 0, all = (size_t)bounds[told->count];
    if (!has_room(&with->like, told->count)) return -1;
    int64_t *like = (int64_t *)with->like.at, hit = next_hit(told, rows, known, (size_t)bounds[0], all);
    while (hit >= 0 && hit < (int64_t)all) {
        while (bounds[text + 1] <= hit) text++;
        size_t since = (size_t)bounds[text], until = (size_t)bounds[text + 1], hits = 0;
        for (; hit >= 0 && hit < (int64_t)until; hit = next_hit(told, rows, known, (size_t)hit + 1, all)) {
            int64_t term = term_at(told, (size_t)hit);
            if (!is_in(rows[term], with->kept)) {
                outside();
                return -1;
            }
            const double *row = table + (size_t)rows[term] * with->columns;
            if (strict && !holds_any(row, first, end)) continue;
            if (!has_room(&with->products, (hits + 1) * wide)) return -1;
            double value = weight_at(told, (size_t)hit) * rarity[term];
            for (size_t c = 0; c < wide; c++) with->products.at[hits * wide + c] = value * row[first + c];
            hits++;
        }
        if (hits == 0) continue;
        double length = lengths ? lengths[text] : 0.0;
        if (length == 0.0 && !length_of(told, rarity, known, since, until, &with->squares, &length)) return -1;
        if (lengths) lengths[text] = length;
        if (!has_room(&with->found, (alike + 1) * wide)) return -1;
        for (size_t c = 0; c < wide; c++)
            with->found.at[alike * wide + c] = reduced(with->products.at + c, hits, wide) / length;
        like[alike++] = (int64_t)text;
    }
    if (hit >= 0) return (Py_ssize_t)alike;
    outside();
    return -1;
}

/* What `compare` has found, so many texts and columns, as two runs of bytes. */
static PyObject *in_bytes(const Compared *with, Py_ssize_t alike, size_t wide) {
    if (alike < 0) return NULL;
    return Py_BuildValue("(y#y#)", alike ? (char *)with->like.at : "", alike * 8, alike ? (char *)with->found.at : "",
                         alike * (Py_ssize_t)wide * 8);
}

/* cosines(texts, rarity, rows, table, lengths, columns, first, end, strict) -> (texts that are alike, their cosines with
 * the columns from `first` to `end`). Lengths that are 0 are worked out, and all if there is None. If `strict`, only terms
 * count that are in these columns, else those in any. */
static PyObject *cosines(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *texts, *given[4], *result = NULL;
    Py_ssize_t columns, first, end;
    int strict;
    if (!PyArg_ParseTuple(args, "O!OOOOnnnp", &PyTuple_Type, &texts, &given[0], &given[1], &given[2], &given[3], &columns,
                          &first, &end, &strict))
        return NULL;
    Array lengths = {.held = 0};
    Compared with;
    Told told;
    memset(&with, 0, sizeof with);
    int some = given[3] != Py_None;
    if (!hold_texts(&told, texts) || !hold_compared(&with, given[0], given[1], given[2], columns) ||
        (some && !hold(&lengths, given[3], 'f', 8, 1)))
        goto end;
    if (first < 0 || end < first || end > columns || (some && lengths.size != told.count)) outside();
    else
        result = in_bytes(&with, compare(&with, &told, some ? lengths.view.buf : NULL, (size_t)first, (size_t)end, strict),
                          (size_t)(end - first));
end:
    let_texts_go(&told);
    let_compared_go(&with);
    let_go(&lengths, 1);
    return result;
}

/* -- evidence --------------------------------------------------------------------------------------------------- */

/* What nodes inherit, summed over the pages that link to them: a row of `kept`, or with one such page its row of `page`. */
typedef struct {
    Array at, kept, degree, linking, page;
    size_t used, wide, nodes, pages; /* of `kept`; columns; of all nodes; of all pages */
} Inherited;

/* Takes hold of (at, kept, used, degree, linking, page), which may be written to. */
static int hold_inherited(Inherited *from, PyObject *given, Py_ssize_t columns, int writable) {
    PyObject *of[5];
    Py_ssize_t used;
    memset(from, 0, sizeof *from);
    if (!PyArg_ParseTuple(given, "OOnOOO", &of[0], &of[1], &used, &of[2], &of[3], &of[4])) return 0;
    if (!hold(&from->at, of[0], 'i', 4, writable) || !hold(&from->kept, of[1], 'f', 8, writable) ||
        !hold(&from->degree, of[2], 'f', 8, writable) || !hold(&from->linking, of[3], 'i', 4, writable) ||
        !hold(&from->page, of[4], 'f', 8, writable))
        return 0;
    from->wide = columns > 0 ? (size_t)columns : 1;
    from->nodes = from->at.size;
    if (from->degree.size < from->nodes) from->nodes = from->degree.size;
    if (from->linking.size < from->nodes) from->nodes = from->linking.size;
    from->pages = from->page.size / from->wide;
    from->used = (size_t)used;
    if (used >= 1 && from->used <= from->kept.size / from->wide) return 1;
    outside();
    return 0;
}

static void let_inherited_go(Inherited *from) {
    Array *all[] = {&from->at, &from->kept, &from->degree, &from->linking, &from->page};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) let_go(all[i], 1);
}

/* The sum of a node's row; NULL of numbers outside their tables. */
static const double *sum_of(const Inherited *from, int64_t node) {
    if (!is_in(node, from->nodes)) return NULL;
    int32_t at = ((const int32_t *)from->at.view.buf)[node];
    if (at == 0 && ((const double *)from->degree.view.buf)[node] > 0.0) {
        int32_t place = ((const int32_t *)from->linking.view.buf)[node];
        return is_in(place, from->pages) ? (const double *)from->page.view.buf + (size_t)place * from->wide : NULL;
    }
    return is_in(at, from->used) ? (const double *)from->kept.view.buf + (size_t)at * from->wide : NULL;
}

/* How many pages link to a node, at least one. */
static double linking_to(const Inherited *from, int64_t node) {
    double degree = ((const double *)from->degree.view.buf)[node];
    return degree >= 1.0 ? degree : 1.0;
}

/* expected(nodes, inherited, columns, tables) -> what is expected of nodes: the mean over the pages that link there, and
 * rows of sparse tables, each told as (at, kept, width, weight, whether the first kept row counts for all others) */
static PyObject *expected(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *nodes, *inherited, *tables, *result = NULL;
    Py_ssize_t columns;
    Array a = {.held = 0};
    Inherited from;
    if (!PyArg_ParseTuple(args, "OO!nO!", &nodes, &PyTuple_Type, &inherited, &columns, &PyTuple_Type, &tables))
        return NULL;
    if (!hold_inherited(&from, inherited, columns, 0) || !hold(&a, nodes, 'i', 8, 0)) goto end;
    const int64_t *node = a.view.buf;
    size_t n = a.size, wide = from.wide;
    result = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(n * wide * 8));
    if (result == NULL) goto end;
    double *found = (double *)PyBytes_AsString(result);
    for (size_t i = 0; i < n; i++) {
        const double *sums = sum_of(&from, node[i]);
        if (sums == NULL) {
            outside();
            break;
        }
        double linking = linking_to(&from, node[i]);
        for (size_t c = 0; c < wide; c++) found[i * wide + c] = sums[c] / linking;
    }
    for (Py_ssize_t k = 0; !PyErr_Occurred() && k < PyTuple_Size(tables); k++) {
        PyObject *at, *kept;
        Array t[2] = {{.held = 0}, {.held = 0}};
        Py_ssize_t width;
        double weight;
        int common;
        if (PyArg_ParseTuple(PyTuple_GetItem(tables, k), "OOndp", &at, &kept, &width, &weight, &common) &&
            hold(&t[0], at, 'i', 4, 0) && hold(&t[1], kept, 'f', 8, 0)) {
            const int32_t *place = t[0].view.buf;
            const double *rows = t[1].view.buf;
            size_t own = width > 0 && width <= columns ? (size_t)width : 0, count = own ? t[1].size / own : 0;
            for (size_t i = 0; own && i < n; i++) {
                if (!is_in(node[i], t[0].size) || !is_in(place[node[i]], count)) {
                    outside();
                    break;
                }
                double *sum = found + i * wide;
                const double *row = rows + (size_t)place[node[i]] * own;
                for (size_t c = 0; common && c < own; c++) sum[c] += weight * rows[c];
                for (size_t c = 0; row != rows && c < own; c++)
                    sum[c] += weight * (common ? row[c] - rows[c] : row[c]);
            }
        }
        let_go(t, 2);
    }
end:
    let_go(&a, 1);
    let_inherited_go(&from);
    if (PyErr_Occurred()) Py_CLEAR(result);
    return result;
}

static double greater(double one, double other) { return one >= other || isnan(one) ? one : other; }

/* A sparse table: of each row its place among the kept ones, 0 of those that are as the first of them; how many are in use. */
typedef struct {
    Array at, kept;
    size_t used, wide;
} Sparse;

/* Takes hold of one, with room for so many rows more; 0 and an error. */
static int hold_sparse(Sparse *table, PyObject *at, PyObject *kept, Py_ssize_t used, Py_ssize_t columns, size_t more) {
    table->at.held = table->kept.held = 0;
    if (!hold(&table->at, at, 'i', 4, 1) || !hold(&table->kept, kept, 'f', 8, 1)) return 0;
    table->wide = columns > 0 ? (size_t)columns : 1, table->used = (size_t)used;
    size_t rows = table->kept.size / table->wide;
    if (columns >= 1 && used >= 1 && table->used <= rows && more <= rows - table->used) return 1;
    outside();
    return 0;
}

static void let_sparse_go(Sparse *table) {
    let_go(&table->at, 1);
    let_go(&table->kept, 1);
}

/* The kept row of a node, which there must be, from now on. */
static double *kept_row(Sparse *table, int64_t node) {
    int32_t *at = (int32_t *)table->at.view.buf + node;
    double *kept = table->kept.view.buf;
    if (*at == 0) {
        memcpy(kept + table->used * table->wide, kept, table->wide * sizeof *kept);
        *at = (int32_t)table->used++;
    }
    return kept + (size_t)*at * table->wide;
}

/* Whether there is a node, and what is known of it is in its place. */
static int has_row(const Sparse *table, int64_t node) {
    return is_in(node, table->at.size) && is_in(((const int32_t *)table->at.view.buf)[node], table->used);
}

/* Texts that are alike to what is looked for, which ones and what they hold, in rows of which the first columns count. */
typedef struct {
    int64_t *like;
    double *values;
    size_t count, columns;
} Alike;

/* Raises a row to the greatest of some rows of values, told by the lower halves of their keys; `silent`: to 0 at least. */
static void raise_row(double *row, const Alike *texts, const int64_t *keys, size_t count, size_t wide, int silent) {
    for (size_t c = 0; c < wide; c++) {
        double best = texts->values[(size_t)(uint32_t)keys[0] * texts->columns + c];
        for (size_t k = 1; k < count; k++)
            best = greater(best, texts->values[(size_t)(uint32_t)keys[k] * texts->columns + c]);
        row[c] = greater(row[c], silent && best < 0.0 ? 0.0 : best);
    }
}

/* The owners of all texts, ascending; NULL and an error. */
static int64_t *all_owners(const Array *owners) {
    int64_t *sorted = malloc((owners->size + 1) * sizeof *sorted);
    if (sorted == NULL) PyErr_NoMemory();
    for (size_t k = 0; sorted && k < owners->size; k++) sorted[k] = whole(owners, k);
    if (sorted) sort(sorted, owners->size);
    return sorted;
}

static int any_below_0(const Alike *texts, size_t wide) {
    for (size_t i = 0; i < texts->count; i++)
        for (size_t c = 0; c < wide; c++)
            if (texts->values[i * texts->columns + c] < 0.0) return 1;
    return 0;
}

/* Raises the rows of the owners of texts to the greatest that these hold: those that are not alike hold 0. There is room for
 * all of them. 0 and an error. */
static int raise_all(Sparse *table, const Array *owners, const Alike *texts) {
    size_t n = texts->count;
    int64_t *keys = malloc((n + 1) * sizeof *keys), *owned = NULL; /* the second only where silence counts for more */
    int done = 0;
    if (keys == NULL) return out_of_memory();
    for (size_t i = 0; i < n; i++) {
        int64_t owner = is_in(texts->like[i], owners->size) ? whole(owners, (size_t)texts->like[i]) : -1;
        if (owner > INT32_MAX || !has_row(table, owner)) {
            outside();
            goto end;
        }
        keys[i] = owner << 32 | (int64_t)i;
    }
    sort(keys, n);
    if (any_below_0(texts, table->wide) && (owned = all_owners(owners)) == NULL) goto end;
    for (size_t i = 0, until, k = 0; i < n; i = until) {
        int64_t owner = keys[i] >> 32;
        size_t several = 0;
        for (until = i; until < n && keys[until] >> 32 == owner; until++) continue;
        for (; owned && k < owners->size && owned[k] <= owner; k++) several += owned[k] == owner;
        raise_row(kept_row(table, owner), texts, keys + i, until - i, table->wide, several > until - i);
    }
    done = 1;
end:
    free(keys), free(owned);
    return done;
}

/* Leaves only those texts that hold anything in the first columns, so many. */
static void drop_silent(Alike *texts, size_t wide) {
    size_t left = 0;
    for (size_t i = 0; i < texts->count; i++) {
        const double *from = texts->values + i * texts->columns;
        if (!holds_any(from, 0, wide)) continue;
        memmove(texts->values + left * texts->columns, from, texts->columns * sizeof *from);
        texts->like[left++] = texts->like[i];
    }
    texts->count = left;
}

/* Takes what texts hold into a sparse table, of (owners or the first one, at, kept, used, columns): they raise the rows of
 * their owners, or are set, each one the row behind that of the one before. Gives how many rows it keeps now; NULL and an error. */
static PyObject *take_texts(PyObject *given, Alike *texts) {
    PyObject *owners, *at, *kept, *result = NULL;
    Py_ssize_t used, columns, first = -1;
    Array a = {.held = 0};
    Sparse table = {.at = {.held = 0}, .kept = {.held = 0}};
    if (!PyArg_ParseTuple(given, "OOOnn", &owners, &at, &kept, &used, &columns)) return NULL;
    int in_order = PyLong_Check(owners);
    if (in_order ? (first = PyLong_AsSsize_t(owners)) == -1 && PyErr_Occurred() : !hold(&a, owners, 'i', 0, 0)) goto end;
    if (columns < (Py_ssize_t)texts->columns && columns > 0) drop_silent(texts, (size_t)columns);
    if (!hold_sparse(&table, at, kept, used, columns, texts->count)) goto end;
    if (table.wide > texts->columns || texts->count > INT32_MAX) {
        outside();
        goto end;
    }
    if (!in_order && !raise_all(&table, &a, texts)) goto end;
    for (size_t i = 0; in_order && i < texts->count; i++) {
        int64_t row = texts->like[i] + first;
        if (!has_row(&table, row)) {
            outside();
            goto end;
        }
        memcpy(kept_row(&table, row), texts->values + i * texts->columns, table.wide * sizeof *texts->values);
    }
    result = PyLong_FromSize_t(table.used);
end:
    let_go(&a, 1);
    let_sparse_go(&table);
    return result;
}

/* all_cosines(several, rarity, rows, table, columns) -> of each (texts, None) what `cosines` gives, with all columns; of each
 * (texts, a sparse table that takes them) how many rows that keeps now: see `take_texts` */
static PyObject *all_cosines(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *several, *given[3], *result = NULL;
    Py_ssize_t columns;
    Compared with;
    if (!PyArg_ParseTuple(args, "O!OOOn", &PyList_Type, &several, &given[0], &given[1], &given[2], &columns)) return NULL;
    if (hold_compared(&with, given[0], given[1], given[2], columns)) result = PyList_New(0);
    for (Py_ssize_t i = 0; result && i < PyList_Size(several); i++) {
        Told told;
        PyObject *item = PyList_GetItem(several, i), *texts, *table, *found = NULL;
        memset(&told, 0, sizeof told);
        if (!PyTuple_Check(item)) PyErr_SetString(PyExc_TypeError, "texts come with a table or None");
        else if (PyArg_ParseTuple(item, "O!O", &PyTuple_Type, &texts, &table) && hold_texts(&told, texts)) {
            Py_ssize_t alike = compare(&with, &told, NULL, 0, with.columns, 0);
            Alike those = {(int64_t *)with.like.at, with.found.at, alike < 0 ? 0 : (size_t)alike, with.columns};
            if (table == Py_None) found = in_bytes(&with, alike, with.columns);
            else if (alike >= 0) found = take_texts(table, &those);
        }
        let_texts_go(&told);
        if (found == NULL || PyList_Append(result, found)) Py_CLEAR(result);
        Py_XDECREF(found);
    }
    let_compared_go(&with);
    return result;
}

/* put(at, kept, used, columns, rows, values, first, end) -> how many rows `kept` has now. Sets the columns from `first` to `end` of
 * some rows of a sparse table; those that it did not keep are as the first one else. */
static PyObject *put(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *at, *kept, *rows, *given, *result = NULL;
    Py_ssize_t used, columns, first, end;
    Array a[2] = {{.held = 0}, {.held = 0}};
    Sparse table = {.at = {.held = 0}, .kept = {.held = 0}};
    if (!PyArg_ParseTuple(args, "OOnnOOnn", &at, &kept, &used, &columns, &rows, &given, &first, &end)) return NULL;
    if (!hold(&a[0], rows, 'i', 0, 0) || !hold(&a[1], given, 'f', 8, 0) ||
        !hold_sparse(&table, at, kept, used, columns, 0))
        goto end;
    const double *values = a[1].view.buf;
    size_t part = (size_t)(end - first), n = a[0].size, room = table.kept.size / table.wide;
    if (first < 0 || end < first || end > columns || a[1].size != n * part) {
        outside();
        goto end;
    }
    for (size_t i = 0; i < n; i++, values += part) {
        int64_t row = whole(&a[0], i);
        if (!has_row(&table, row) || (table.used == room && ((int32_t *)table.at.view.buf)[row] == 0)) {
            outside();
            goto end;
        }
        memcpy(kept_row(&table, row) + first, values, part * sizeof *values);
    }
    result = PyLong_FromSize_t(table.used);
end:
    let_go(a, 2);
    let_sparse_go(&table);
    return result;
}

/* sifted(nodes, closed, told) -> (the places of links to nodes that are not closed; of these those to nodes of which nothing was
 * told, which is not a number). Below 0 is no node. */
static PyObject *sifted(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *given[3], *open = NULL, *untold = NULL, *result = NULL;
    Array a[3] = {{.held = 0}, {.held = 0}, {.held = 0}};
    if (!PyArg_ParseTuple(args, "OOO", &given[0], &given[1], &given[2])) return NULL;
    if (!hold(&a[0], given[0], 'i', 8, 0) || !hold(&a[1], given[1], 'b', 1, 0) || !hold(&a[2], given[2], 'f', 8, 0))
        goto end;
    const int64_t *node = a[0].view.buf;
    if ((open = PyList_New(0)) == NULL || (untold = PyList_New(0)) == NULL) goto end;
    for (size_t i = 0; i < a[0].size; i++) {
        if (node[i] < 0) continue;
        if (!is_in(node[i], a[1].size) || !is_in(node[i], a[2].size)) {
            outside();
            goto end;
        }
        if (((const char *)a[1].view.buf)[node[i]]) continue;
        PyObject *place = PyLong_FromSize_t(i);
        int added = place && !PyList_Append(open, place) &&
                    !(isnan(((const double *)a[2].view.buf)[node[i]]) && PyList_Append(untold, place));
        Py_XDECREF(place);
        if (!added) goto end;
    }
    result = PyTuple_Pack(2, open, untold);
end:
    Py_XDECREF(open), Py_XDECREF(untold);
    let_go(a, 3);
    return result;
}

/* waiting(nodes, closed, told, below) -> those nodes, not closed, of which something below this was told */
static PyObject *waiting(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *given[3], *result = NULL;
    double below;
    int64_t *found = NULL;
    Array a[3] = {{.held = 0}, {.held = 0}, {.held = 0}};
    if (!PyArg_ParseTuple(args, "OOOd", &given[0], &given[1], &given[2], &below)) return NULL;
    if (!hold(&a[0], given[0], 'i', 8, 0) || !hold(&a[1], given[1], 'b', 1, 0) || !hold(&a[2], given[2], 'f', 8, 0))
        goto end;
    const int64_t *node = a[0].view.buf;
    size_t n = 0;
    if ((found = malloc((a[0].size + 1) * sizeof *found)) == NULL) {
        PyErr_NoMemory();
        goto end;
    }
    for (size_t i = 0; i < a[0].size; i++) {
        if (!is_in(node[i], a[1].size) || !is_in(node[i], a[2].size)) {
            outside();
            goto end;
        }
        if (!((const char *)a[1].view.buf)[node[i]] && ((const double *)a[2].view.buf)[node[i]] < below) found[n++] = node[i];
    }
    result = PyBytes_FromStringAndSize((char *)found, (Py_ssize_t)(n * sizeof *found));
end:
    free(found);
    let_go(a, 3);
    return result;
}

/* moved(nodes, scores, told, worth) -> (the nodes whose scores are others than was told, by at least such a share of it; these
 * scores). From now on they are told. */
static PyObject *moved(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *given[3], *scores = NULL, *result = NULL;
    double worth;
    int64_t *found = NULL;
    Array a[3] = {{.held = 0}, {.held = 0}, {.held = 0}};
    if (!PyArg_ParseTuple(args, "OOOd", &given[0], &given[1], &given[2], &worth)) return NULL;
    if (!hold(&a[0], given[0], 'i', 8, 0) || !hold(&a[1], given[1], 'f', 8, 0) || !hold(&a[2], given[2], 'f', 8, 1))
        goto end;
    const int64_t *node = a[0].view.buf;
    const double *score = a[1].view.buf;
    double *told = a[2].view.buf;
    size_t n = 0;
    if ((found = malloc((a[0].size + 1) * sizeof *found)) == NULL || (scores = PyList_New(0)) == NULL) {
        if (!PyErr_Occurred()) PyErr_NoMemory();
        goto end;
    }
    for (size_t i = 0; i < a[0].size; i++) {
        if (!is_in(node[i], a[2].size) || i >= a[1].size) {
            outside();
            goto end;
        }
        double before = told[node[i]], least = fabs(before) >= worth ? fabs(before) : worth;
        if (!(fabs(score[i] - before) > worth * least)) continue;
        PyObject *new = PyFloat_FromDouble(score[i]);
        int added = new && !PyList_Append(scores, new);
        Py_XDECREF(new);
        if (!added) goto end;
        told[node[i]] = score[i];
        found[n++] = node[i];
    }
    result = Py_BuildValue("(y#O)", (char *)found, (Py_ssize_t)(n * sizeof *found), scores);
end:
    free(found);
    Py_XDECREF(scores);
    let_go(a, 3);
    return result;
}

/* What words are measured by: their means, times how soon enough is enough, and their weights. */
typedef struct {
    Array means, weights;
    double saturation;
} Measure;

/* Takes hold of (means, saturation, weights); 0 and an error. */
static int hold_measure(Measure *by, PyObject *given, size_t columns) {
    PyObject *means, *weights;
    memset(by, 0, sizeof *by);
    if (!PyArg_ParseTuple(given, "OdO", &means, &by->saturation, &weights) || !hold(&by->means, means, 'f', 8, 0) ||
        !hold(&by->weights, weights, 'f', 8, 0))
        return 0;
    if (by->means.size == by->weights.size && by->means.size <= columns) return 1;
    outside();
    return 0;
}

static void let_measure_go(Measure *by) {
    let_go(&by->means, 1);
    let_go(&by->weights, 1);
}

static double part_of(const Measure *by, const double *row, size_t word) {
    const double *mean = by->means.view.buf, *weight = by->weights.view.buf;
    return log1p(row[word] / (by->saturation * mean[word])) * weight[word];
}

/* Σ_w weight(w) · ln(1 + e_w / (c · mean e_w)) of one row, added up as by `numpy.einsum`: every other word apart, of each eight
 * the last first. */
static double of_words(const Measure *by, const double *row) {
    size_t n = by->means.size, i = 0;
    double sum[2] = {0.0, 0.0};
    for (; n - i >= 8; i += 8)
        for (size_t w = i + 8; w-- > i;) sum[w & 1] += part_of(by, row, w);
    for (; i < n; i++) sum[i & 1] += part_of(by, row, i);
    return sum[0] + sum[1];
}

/* words(evidence, columns, measure) -> of each row the sum over the words, which are its first columns */
static PyObject *words(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *evidence, *measure, *result = NULL;
    Py_ssize_t columns;
    Array a = {.held = 0};
    Measure by;
    memset(&by, 0, sizeof by);
    if (!PyArg_ParseTuple(args, "OnO!", &evidence, &columns, &PyTuple_Type, &measure)) return NULL;
    size_t wide = columns > 0 ? (size_t)columns : 1, n;
    if (!hold(&a, evidence, 'f', 8, 0) || !hold_measure(&by, measure, wide)) goto end;
    n = a.size / wide;
    if ((result = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(n * 8))) == NULL) goto end;
    for (size_t i = 0; i < n; i++)
        ((double *)PyBytes_AsString(result))[i] = of_words(&by, (const double *)a.view.buf + i * wide);
end:
    let_go(&a, 1);
    let_measure_go(&by);
    return result;
}

/* score(evidence, columns, words, like, judged, lessons, parts, most, digits) -> rows of evidence put together, at most `most`,
 * rounded. `words` is the part of the query's words, or what these are measured by, a tuple, or None; `like` and `judged` are -1
 * where there is no such column; `parts` have what the columns of words, of likeness, of judgement and of lessons are measured
 * by, and the weights of likeness and lessons. */
static PyObject *score(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *evidence, *words, *result = NULL;
    Py_ssize_t columns, like, judged, lessons;
    double by[4], weigh[2], most, digits;
    Array a[2] = {{.held = 0}, {.held = 0}};
    Measure measure;
    memset(&measure, 0, sizeof measure);
    if (!PyArg_ParseTuple(args, "OnOnnn(dddddd)dd", &evidence, &columns, &words, &like, &judged, &lessons, &by[0], &by[1],
                          &by[2], &by[3], &weigh[0], &weigh[1], &most, &digits))
        return NULL;
    int some = words != Py_None, measured = PyTuple_Check(words);
    size_t wide = columns > 0 ? (size_t)columns : 1;
    if (!hold(&a[0], evidence, 'f', 8, 0) ||
        (some && !(measured ? hold_measure(&measure, words, wide) : hold(&a[1], words, 'f', 8, 0))))
        goto end;
    size_t n = a[0].size / wide;
    if ((like != -1 && !is_in(like, wide)) || (judged != -1 && !is_in(judged, wide)) || !is_in(lessons, wide) ||
        (some && !measured && a[1].size != n)) {
        outside();
        goto end;
    }
    result = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(n * 8));
    if (result == NULL) goto end;
    double *found = (double *)PyBytes_AsString(result);
    for (size_t i = 0; i < n; i++) {
        const double *row = (const double *)a[0].view.buf + i * wide;
        double sum = measured ? of_words(&measure, row) : some ? ((const double *)a[1].view.buf)[i] : 0.0;
        if (some) sum /= by[0];
        if (like >= 0) sum += weigh[0] * (row[like] > 0.0 ? row[like] / by[1] : row[like]);
        if (judged >= 0) sum += row[judged] / by[2];
        sum += weigh[1] * row[lessons] / by[3];
        sum = sum <= most || isnan(sum) ? sum : most;
        found[i] = rint(sum * digits) / digits;
    }
end:
    let_go(a, 2);
    let_measure_go(&measure);
    return result;
}

/* Adds a row of a sparse table, told as for `expected`, times its weight; 0 and an error if there is none. */
static int add_row(double *found, Py_ssize_t columns, PyObject *table, Py_ssize_t node) {
    PyObject *at, *kept;
    Array t[2] = {{.held = 0}, {.held = 0}};
    Py_ssize_t width;
    double weight;
    int common;
    if (PyArg_ParseTuple(table, "OOndp", &at, &kept, &width, &weight, &common) && hold(&t[0], at, 'i', 4, 0) &&
        hold(&t[1], kept, 'f', 8, 0)) {
        int32_t place = is_in(node, t[0].size) ? ((const int32_t *)t[0].view.buf)[node] : -1;
        if (width == columns && is_in(place, t[1].size / (size_t)columns)) {
            const double *row = (const double *)t[1].view.buf + place * columns;
            for (Py_ssize_t c = 0; c < columns; c++) found[c] += weight * row[c];
        } else {
            outside();
        }
    }
    let_go(t, 2);
    return !PyErr_Occurred();
}

/* Adds rows of values, times a weight; 0 and an error if they are none. */
static int add_rows(double *found, Py_ssize_t columns, PyObject *text) {
    double weight;
    PyObject *values;
    Array a = {.held = 0};
    if (PyArg_ParseTuple(text, "dO", &weight, &values) && hold(&a, values, 'f', 8, 0)) {
        const double *row = a.view.buf;
        for (size_t left = a.size / (size_t)columns; left; left--, row += columns)
            for (Py_ssize_t c = 0; c < columns; c++) found[c] += weight * row[c];
    }
    let_go(&a, 1);
    return !PyErr_Occurred();
}

/* base(node, columns, tables, texts, judged, judgement) -> what a page says itself: rows of sparse tables and of its texts, each
 * times a weight, and its judgement in a column of its own (-1: in none). */
static PyObject *base(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *tables, *texts, *result;
    Py_ssize_t node, columns, judged;
    double judgement;
    if (!PyArg_ParseTuple(args, "nnO!O!nd", &node, &columns, &PyTuple_Type, &tables, &PyTuple_Type, &texts, &judged,
                          &judgement))
        return NULL;
    if (columns < 1 || judged < -1 || judged >= columns) return outside();
    if ((result = PyBytes_FromStringAndSize(NULL, columns * 8)) == NULL) return NULL;
    double *found = (double *)PyBytes_AsString(result);
    for (Py_ssize_t c = 0; c < columns; c++) found[c] = -0.0; /* so that a sum begins with its first summand as it is */
    int added = 1;
    for (Py_ssize_t i = 0; added && i < PyTuple_Size(tables); i++)
        added = add_row(found, columns, PyTuple_GetItem(tables, i), node);
    for (Py_ssize_t i = 0; added && i < PyTuple_Size(texts); i++)
        added = add_rows(found, columns, PyTuple_GetItem(texts, i));
    if (!added) Py_CLEAR(result);
    else if (judged >= 0) found[judged] = judgement;
    return result;
}

enum { TARGETS, BASE, PLACES, TAKEN };

/* take(targets, base, inherited, places, node, worth, above, below) -> how many rows `kept` of what is inherited has now.
 * The evidence of a page, of what it says itself, of the pages that link there and of what it links to, is written to its
 * row of `page`, and added to what its targets inherit. */
static PyObject *take(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *given[TAKEN], *inherited, *result = NULL;
    Py_ssize_t node;
    double worth, above, below;
    Array a[TAKEN] = {{.held = 0}, {.held = 0}, {.held = 0}};
    Inherited from;
    double *expected_of = NULL;
    if (!PyArg_ParseTuple(args, "OOO!Onddd", &given[TARGETS], &given[BASE], &PyTuple_Type, &inherited, &given[PLACES],
                          &node, &worth, &above, &below))
        return NULL;
    memset(&from, 0, sizeof from);
    if (!hold(&a[TARGETS], given[TARGETS], 'i', 8, 0) || !hold(&a[BASE], given[BASE], 'f', 8, 0) ||
        !hold(&a[PLACES], given[PLACES], 'i', 4, 0) ||
        !hold_inherited(&from, inherited, (Py_ssize_t)a[BASE].size, 1))
        goto end;
    const int64_t *targets = a[TARGETS].view.buf;
    const int32_t *places = a[PLACES].view.buf;
    const double *base = a[BASE].view.buf;
    double *degree = from.degree.view.buf, *page = from.page.view.buf, *kept = from.kept.view.buf;
    int32_t *at = from.at.view.buf, *linking = from.linking.view.buf;
    size_t n = a[TARGETS].size, wide = from.wide;
    if (a[BASE].size == 0 || n > from.kept.size / wide - from.used) {
        outside();
        goto end;
    }
    expected_of = calloc(wide, sizeof *expected_of);
    if (expected_of == NULL) {
        PyErr_NoMemory();
        goto end;
    }
    for (size_t i = 0; i <= n; i++) {
        int64_t which = i < n ? targets[i] : node;
        if (sum_of(&from, which) == NULL || !is_in(which, a[PLACES].size) ||
            (places[which] != -1 && !is_in(places[which], from.pages)) || (i == n && places[which] < 0)) {
            outside();
            goto end;
        }
    }
    for (size_t i = 0; i < n; i++) {
        int64_t target = targets[i];
        const double *sums = sum_of(&from, target);
        double linked = linking_to(&from, target);
        for (size_t c = 0; c < wide; c++) {
            double value = places[target] != -1   ? page[(size_t)places[target] * wide + c]
                           : degree[target] > 0.0 ? sums[c] / linked
                                                  : base[c];
            expected_of[c] = i ? expected_of[c] + value : value;
        }
    }
    const double *sums = sum_of(&from, node);
    double *own = page + (size_t)places[node] * wide, linked = linking_to(&from, node);
    for (size_t c = 0; c < wide; c++) {
        double mean = n ? expected_of[c] / (double)n : 0.0;
        own[c] = worth * (base[c] + above * (sums[c] / linked) + below * mean);
    }
    for (size_t i = 0; i < n; i++) {
        int64_t target = targets[i];
        if (degree[target] > 0.0) {
            if (at[target] == 0) {
                memcpy(kept + from.used * wide, page + (size_t)linking[target] * wide, wide * sizeof *kept);
                at[target] = (int32_t)from.used++;
            }
            for (size_t c = 0; c < wide; c++) kept[(size_t)at[target] * wide + c] += own[c];
        }
        degree[target] += 1.0;
        linking[target] = places[node];
    }
    result = PyLong_FromSize_t(from.used);
end:
    free(expected_of);
    let_go(a, TAKEN);
    let_inherited_go(&from);
    return result;
}

enum { PAGES, LISTED, ENDS, NODES, VALUES, SUMS, LINKED };
enum { SOON = 16 };

/* Adds up what is linked: `of` has the pages, what they link to and the nodes of that, or NULL. The columns that scores mostly
 * have are told as a constant: so they are added side by side. */
static inline void add_linked(const int32_t *const *of, const int64_t *ends, size_t pages, const double *values,
                              double *sums, int into, size_t wide) {
    const int32_t *targets = of[1], *nodes = of[2];
    const double *table = into ? sums : values;
    for (size_t p = 0; p < pages; p++) {
        for (int64_t i = ends[p]; i < ends[p + 1]; i++) {
            if (i + SOON < ends[pages]) {
                int32_t soon = targets[i + SOON];
                AHEAD(table + (size_t)(nodes ? nodes[soon] : soon) * wide);
            }
            int32_t node = nodes ? nodes[targets[i]] : targets[i];
            if (node == of[0][p]) continue;
            const double *from = into ? values + p * wide : values + (size_t)node * wide;
            double *to = into ? sums + (size_t)node * wide : sums + p * wide;
            for (size_t c = 0; c < wide; c++) to[c] += from[c];
        }
    }
}

/* Whether all numbers lie in a table of so many. */
static int all_in(const int32_t *numbers, size_t count, size_t size) {
    uint32_t end = size > INT32_MAX ? (uint32_t)INT32_MAX + 1 : (uint32_t)size, outside = 0;
    for (size_t i = 0; i < count; i++) outside |= (uint32_t)numbers[i] >= end;
    return !outside;
}

/* Whether the pages link to targets, each to those between two ends, and all of them, by way of `nodes` where there are any, are
 * some of so many. */
static int are_lists(const Array *pages, const Array *targets, const Array *ends, const Array *nodes, size_t count) {
    const int64_t *end = ends->view.buf;
    if (ends->size != pages->size + 1 || end[0] != 0 || end[pages->size] != (int64_t)targets->size) return 0;
    for (size_t p = 0; p < pages->size; p++)
        if (end[p] > end[p + 1]) return 0;
    return all_in(targets->view.buf, targets->size, nodes ? nodes->size : count) &&
           (nodes == NULL || all_in(nodes->view.buf, nodes->size, count));
}

/* linked(pages, targets, ends, nodes, values, columns, into, sums): adds to `sums`, row by row, what is linked. The page at
 * place p links to the targets between two ends; where `nodes` is not None, it has the node of each. If `into`, values are
 * of pages and sums of nodes, else the other way round. Links of a page to itself are left out. */
static PyObject *linked(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *given[LINKED], *result = NULL;
    Py_ssize_t columns;
    int into;
    Array a[LINKED];
    if (!PyArg_ParseTuple(args, "OOOOOnpO", &given[0], &given[1], &given[2], &given[3], &given[4], &columns, &into,
                          &given[5]))
        return NULL;
    static const char kinds[] = "iiiiff";
    static const Py_ssize_t widths[] = {4, 4, 8, 4, 8, 8};
    int mapped = given[NODES] != Py_None;
    for (size_t i = 0; i < LINKED; i++) a[i].held = 0;
    for (size_t i = 0; i < LINKED; i++)
        if ((i != NODES || mapped) && !hold(&a[i], given[i], kinds[i], widths[i], i == SUMS)) goto end;
    const int32_t *pages = a[PAGES].view.buf, *targets = a[LISTED].view.buf;
    const int32_t *nodes = mapped ? a[NODES].view.buf : NULL;
    const int64_t *ends = a[ENDS].view.buf;
    const double *values = a[VALUES].view.buf;
    double *sums = a[SUMS].view.buf;
    size_t wide = columns > 0 ? (size_t)columns : 1;
    size_t count = a[into ? SUMS : VALUES].size / wide, places = a[into ? VALUES : SUMS].size / wide;
    if (columns < 1 || places < a[PAGES].size ||
        !are_lists(&a[PAGES], &a[LISTED], &a[ENDS], mapped ? &a[NODES] : NULL, count)) {
        outside();
        goto end;
    }
    const int32_t *of[] = {pages, targets, nodes};
    if (wide == 1) add_linked(of, ends, a[PAGES].size, values, sums, into, 1);
    else if (wide == 2) add_linked(of, ends, a[PAGES].size, values, sums, into, 2);
    else if (wide == 3) add_linked(of, ends, a[PAGES].size, values, sums, into, 3);
    else if (wide == 4) add_linked(of, ends, a[PAGES].size, values, sums, into, 4);
    else add_linked(of, ends, a[PAGES].size, values, sums, into, wide);
    Py_INCREF(Py_None);
    result = Py_None;
end:
    let_go(a, LINKED);
    return result;
}

/* degrees(pages, targets, ends, nodes, into, out, linking): writes to `into` how many pages link to each node, to `out` how many
 * nodes each page links to, and to `linking` the last page that links to each node, by place; see `linked`. */
static PyObject *degrees(PyObject *module, PyObject *args) {
    (void)module;
    enum { INTO = NODES + 1, OUT, LAST, COUNTED };
    PyObject *given[COUNTED], *result = NULL;
    Array a[COUNTED];
    if (!PyArg_ParseTuple(args, "OOOOOOO", &given[0], &given[1], &given[2], &given[3], &given[4], &given[5], &given[6]))
        return NULL;
    static const char kinds[] = "iiiiffi";
    static const Py_ssize_t widths[] = {4, 4, 8, 4, 8, 8, 4};
    int mapped = given[NODES] != Py_None;
    for (size_t i = 0; i < COUNTED; i++) a[i].held = 0;
    for (size_t i = 0; i < COUNTED; i++)
        if ((i != NODES || mapped) && !hold(&a[i], given[i], kinds[i], widths[i], i > NODES)) goto end;
    const int32_t *pages = a[PAGES].view.buf, *targets = a[LISTED].view.buf;
    const int32_t *nodes = mapped ? a[NODES].view.buf : NULL;
    const int64_t *ends = a[ENDS].view.buf;
    double *into = a[INTO].view.buf, *out = a[OUT].view.buf;
    int32_t *last = a[LAST].view.buf;
    size_t count = a[INTO].size;
    if (!are_lists(&a[PAGES], &a[LISTED], &a[ENDS], mapped ? &a[NODES] : NULL, count) || a[LAST].size != count ||
        a[OUT].size != a[PAGES].size) {
        outside();
        goto end;
    }
    for (size_t p = 0; p < a[PAGES].size; p++) {
        out[p] = 0.0;
        for (int64_t i = ends[p]; i < ends[p + 1]; i++) {
            int32_t node = nodes ? nodes[targets[i]] : targets[i];
            if (node == pages[p]) continue;
            into[node] += 1.0;
            out[p] += 1.0;
            last[node] = (int32_t)p;
        }
    }
    Py_INCREF(Py_None);
    result = Py_None;
end:
    let_go(a, COUNTED);
    return result;
}

/* Lists of links, side by side: where each begins, and the end; of each link the place of the page that it names, -1 of
 * none, and the row of its node. */
typedef struct {
    size_t *bounds, lists;
    int32_t *whose, *row;
} Lists;

/* Reads them. 0 and an error if that failed, or if a number lies outside its table of so many. */
static int read_lists(Lists *lists, const Array *sources, const Array *targets, const Array *places, const Array *rows,
                      size_t pages) {
    size_t n = sources->size;
    lists->bounds = malloc((n + 1) * sizeof *lists->bounds);
    lists->whose = malloc((n + 1) * sizeof *lists->whose);
    lists->row = malloc((n + 1) * sizeof *lists->row);
    if (lists->bounds == NULL || lists->whose == NULL || lists->row == NULL) return out_of_memory();
    int64_t source = 0;
    for (size_t i = 0; i < n; i++) {
        int64_t target = whole(targets, i), before = source;
        source = whole(sources, i);
        int64_t page = is_in(target, places->size) ? whole(places, (size_t)target) : -2;
        int64_t row = rows && page != -2 ? whole(rows, (size_t)target) : target;
        if (page < -1 || page > INT32_MAX || (page >= 0 && !is_in(page, pages)) || row < 0 || row > INT32_MAX) {
            outside();
            return 0;
        }
        lists->whose[i] = (int32_t)page, lists->row[i] = (int32_t)row;
        if (i == 0 || source != before) lists->bounds[lists->lists++] = i;
    }
    lists->bounds[lists->lists] = n;
    return 1;
}

/* Counts for each link the pages that stand at most `reach` links before or after it. */
static void count_beside(const Lists *lists, int64_t reach, int64_t *times) {
    for (size_t l = 0; l < lists->lists; l++) {
        int64_t begin = (int64_t)lists->bounds[l], end = (int64_t)lists->bounds[l + 1], near = 0;
        for (int64_t i = begin; i < end && i < begin + reach; i++) near += lists->whose[i] != -1;
        for (int64_t i = begin; i < end; i++) {
            if (i + reach < end) near += lists->whose[i + reach] != -1;
            times[lists->row[i]] += near - (lists->whose[i] != -1);
            if (i - reach >= begin) near -= lists->whose[i - reach] != -1;
        }
    }
}

/* Adds the values of each page to the sums of what stands so many links behind it; 0 if there is no such row. */
static inline int add_beside(const Lists *lists, int64_t step, const double *values, double *sums, size_t count,
                             size_t wide) {
    for (size_t l = 0; l < lists->lists; l++) {
        int64_t begin = (int64_t)lists->bounds[l], end = (int64_t)lists->bounds[l + 1];
        for (int64_t i = step < 0 ? begin - step : begin; i < (step > 0 ? end - step : end); i++) {
            if (lists->whose[i] == -1) continue;
            size_t row = (size_t)lists->row[i + step];
            if (row >= count) return 0;
            const double *from = values + (size_t)lists->whose[i] * wide;
            double *to = sums + row * wide;
            for (size_t c = 0; c < wide; c++) to[c] += from[c];
        }
    }
    return 1;
}

enum { FROM, TO, PLACE, ROW, OF_PAGE, BESIDE, LISTS };

/* beside(sources, targets, places, reach, rows, values, columns, found): adds to `found` how often a page stands beside each node
 * in lists of links; or with `values` of pages, row by row, these, at the node's row of `rows`. */
static PyObject *beside(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *given[LISTS], *result = NULL;
    Py_ssize_t reach, columns;
    Array a[LISTS];
    Lists lists = {NULL, 0, NULL, NULL};
    if (!PyArg_ParseTuple(args, "OOOnOOnO", &given[FROM], &given[TO], &given[PLACE], &reach, &given[ROW],
                          &given[OF_PAGE], &columns, &given[BESIDE]))
        return NULL;
    int counted = given[OF_PAGE] == Py_None;
    for (size_t i = 0; i < LISTS; i++) a[i].held = 0;
    for (size_t i = 0; i < LISTS; i++) {
        if (counted && (i == ROW || i == OF_PAGE)) continue;
        int is_real = i == OF_PAGE || (i == BESIDE && !counted);
        if (!hold(&a[i], given[i], is_real ? 'f' : 'i', i >= OF_PAGE ? 8 : 0, i == BESIDE)) goto end;
    }
    if (columns < 1 || reach < 0 || reach > INT32_MAX || a[FROM].size != a[TO].size ||
        (counted ? a[BESIDE].size : a[ROW].size) != a[PLACE].size) {
        outside();
        goto end;
    }
    size_t wide = (size_t)columns, pages = counted ? INT32_MAX : a[OF_PAGE].size / wide;
    if (!read_lists(&lists, &a[FROM], &a[TO], &a[PLACE], counted ? NULL : &a[ROW], pages)) goto end;
    size_t count = a[BESIDE].size / wide;
    double *found = a[BESIDE].view.buf;
    const double *values = counted ? NULL : a[OF_PAGE].view.buf;
    if (counted) {
        count_beside(&lists, reach, a[BESIDE].view.buf);
        reach = 0;
    }
    for (int64_t step = -reach; step <= reach; step++) { /* so that sums are added up as those of a matrix of pairs */
        if (step == 0) continue;
        int inside = wide == 1   ? add_beside(&lists, step, values, found, count, 1)
                     : wide == 2 ? add_beside(&lists, step, values, found, count, 2)
                     : wide == 3 ? add_beside(&lists, step, values, found, count, 3)
                     : wide == 4 ? add_beside(&lists, step, values, found, count, 4)
                                 : add_beside(&lists, step, values, found, count, wide);
        if (inside) continue;
        outside();
        goto end;
    }
    Py_INCREF(Py_None);
    result = Py_None;
end:
    free(lists.bounds), free(lists.whose), free(lists.row);
    let_go(a, LISTS);
    return result;
}

static PyMethodDef methods[] = {
    {"squared", squared, METH_O, "The squared length of counts."},
    {"counted", counted, METH_VARARGS, "The terms of a counted text by number."},
    {"numbered", numbered, METH_VARARGS, "The terms of many texts that are joined to one, by number."},
    {"holding", holding, METH_VARARGS, "The places of texts that may hold one of some beginnings."},
    {"wordings", wordings, METH_VARARGS, "Texts that were not known of what they lead to, with their checksums."},
    {"distinct", distinct, METH_VARARGS, "Distinct numbers, in order."},
    {"enter", enter, METH_VARARGS, "Puts keys into a table, and tells which are new."},
    {"pack", pack, METH_VARARGS, "Texts in few bytes."},
    {"unpack", unpack, METH_VARARGS, "Texts out of few bytes."},
    {"share_new", share_new, METH_VARARGS, "The share of a text's terms that some other texts do not have."},
    {"held", held, METH_VARARGS, "How many of some texts have each term."},
    {"total", total, METH_O, "A sum, added up as numpy does."},
    {"cosines", cosines, METH_VARARGS, "The cosines of texts with columns of weights."},
    {"all_cosines", all_cosines, METH_VARARGS, "The same of several texts, with all columns; tables may take them."},
    {"put", put, METH_VARARGS, "Sets rows of a sparse table."},
    {"sifted", sifted, METH_VARARGS, "Links to what may still be fetched, and those that are new."},
    {"waiting", waiting, METH_VARARGS, "Nodes of which something was told."},
    {"moved", moved, METH_VARARGS, "Nodes whose scores are others than was told."},
    {"words", words, METH_VARARGS, "The words of rows of evidence put together."},
    {"score", score, METH_VARARGS, "Rows of evidence put together."},
    {"expected", expected, METH_VARARGS, "The evidence that is expected of nodes."},
    {"linked", linked, METH_VARARGS, "Adds up what is linked."},
    {"degrees", degrees, METH_VARARGS, "How many links there are to nodes and from pages."},
    {"beside", beside, METH_VARARGS, "How often pages stand beside nodes in lists of links, or what they hold there."},
    {"base", base, METH_VARARGS, "What a page says itself."},
    {"take", take, METH_VARARGS, "Takes in the evidence of one page."},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "lycosa.scoring._hunting", NULL, -1, methods, NULL,
                                    NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__hunting(void) {
    fill_tables();
    PyObject *any = PyUnicode_FromString("a name"); /* Python draws how it hashes texts */
    if (any == NULL) return NULL;
    seed = (uint64_t)PyObject_Hash(any) * 0x9E3779B97F4A7C15u;
    Py_DECREF(any);
    PyObject *made = PyModule_Create(&module);
    names_type = made ? (PyTypeObject *)PyType_FromSpec(&names_spec) : NULL; /* for as long as the process lives */
    if (made && (names_type == NULL || PyModule_AddObjectRef(made, "Names", (PyObject *)names_type) < 0)) Py_CLEAR(made);
    if (made && PyModule_AddIntConstant(made, "SOURCE", SOURCE) < 0) Py_CLEAR(made);
    return made;
}
