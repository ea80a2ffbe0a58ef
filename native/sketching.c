/* What `lycosa.crawl.sketch` works out of the words of a text, `lycosa.crawl.templates` and `.traps` of its lines and of
 * the pages beside it, and `.site_names` and `.captures` of its links, with the same answers. Those modules explain the
 * rules; tests compare the two.
 *
 * Hashes go to and fro as 64-bit numbers of this machine, side by side. */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifndef SOURCE
#define SOURCE 0 /* the CRC-32 of this file, which the build gives */
#endif

enum { WORDS = 5, BINS = 128, BIN_BITS = 7, BANDS = 8, IN_BAND = BINS / BANDS, PLANES = 32, STRIDE = 16 };
static const uint64_t ODD = 0x9E3779B97F4A7C15u;

static uint32_t crc_of[STRIDE][256]; /* the nth: of a byte that n zeros follow */
static unsigned char lower[256];
static uint64_t powers[WORDS], in_band[IN_BAND];

static uint64_t mixed(uint64_t n) {
    n = (n ^ n >> 30) * 0xBF58476D1CE4E5B9u;
    n = (n ^ n >> 27) * 0x94D049BB133111EBu;
    return n ^ n >> 31;
}

static void draw(uint64_t *numbers, unsigned count, uint64_t seed) {
    for (unsigned i = 0; i < count; i++) numbers[i] = mixed((i + 1 + seed) * ODD) | 1;
}

static void fill_tables(void) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int bit = 0; bit < 8; bit++) c = c & 1 ? c >> 1 ^ 0xEDB88320u : c >> 1;
        crc_of[0][i] = c;
        lower[i] = (unsigned char)(i >= 'A' && i <= 'Z' ? i + 32 : i);
    }
    for (unsigned n = 1; n < STRIDE; n++)
        for (unsigned i = 0; i < 256; i++) crc_of[n][i] = crc_of[0][crc_of[n - 1][i] & 0xFF] ^ crc_of[n - 1][i] >> 8;
    draw(powers, WORDS, 0);
    draw(in_band, IN_BAND, WORDS);
}

static int parts_words(unsigned char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* The CRC-32 of n bytes, of ASCII letters the small ones. Each step takes up to eight bytes at once, whose parts do not
 * wait for each other. */
static uint32_t crc32_lower(const unsigned char *s, size_t n) {
    uint32_t crc = 0xFFFFFFFFu;
    for (; n >= 8; s += 8, n -= 8) {
        crc = crc_of[7][(crc ^ lower[s[0]]) & 0xFF] ^ crc_of[6][(crc >> 8 ^ lower[s[1]]) & 0xFF] ^
              crc_of[5][(crc >> 16 ^ lower[s[2]]) & 0xFF] ^ crc_of[4][crc >> 24 ^ lower[s[3]]] ^
              crc_of[3][lower[s[4]]] ^ crc_of[2][lower[s[5]]] ^ crc_of[1][lower[s[6]]] ^ crc_of[0][lower[s[7]]];
    }
    uint32_t rest = n >= 4 ? 0 : crc >> 8 * n;
    for (size_t i = 0; i < n; i++, crc >>= 8) rest ^= crc_of[n - 1 - i][(crc ^ lower[s[i]]) & 0xFF];
    return ~rest;
}

static uint32_t crc32_of(const unsigned char *s, size_t n) {
    uint32_t crc = 0xFFFFFFFFu;
    for (; n >= STRIDE; s += STRIDE, n -= STRIDE) {
        uint32_t before = crc;
        crc = 0;
        for (unsigned i = 0; i < 4; i++) crc ^= crc_of[STRIDE - 1 - i][(before >> 8 * i ^ s[i]) & 0xFF];
        for (unsigned i = 4; i < STRIDE; i++) crc ^= crc_of[STRIDE - 1 - i][s[i]];
    }
    for (; n; s++, n--) crc = crc_of[0][(crc ^ *s) & 0xFF] ^ crc >> 8;
    return ~crc;
}

/* Han and kana, as `lycosa.model.spaceless` has them. */
static const uint32_t HAN_AND_KANA[][2] = {
    {0x2E80, 0x2FDF}, {0x3005, 0x3007}, {0x3021, 0x3029}, {0x3031, 0x3035}, {0x3038, 0x303C},
    {0x3041, 0x3096}, {0x3099, 0x30FA}, {0x30FC, 0x30FF}, {0x31F0, 0x31FF}, {0x3400, 0x4DBF},
    {0x4E00, 0x9FFF}, {0xF900, 0xFAFF}, {0xFF66, 0xFF9F}, {0x1B000, 0x1B16F}, {0x20000, 0x3FFFF}};

/* How many bytes the sign of Han and kana has that begins here; 0: there is none. -1: a letter of an alphabet without
 * blanks may begin here, which Python tells apart. */
static int spaceless(const unsigned char *s, const unsigned char *end) {
    if (*s < 0xE0) return 0;
    if (*s < 0xE2) return s + 1 < end && (*s == 0xE0 ? s[1] >= 0xB8 : s[1] <= 0x9F) ? -1 : 0;
    int wide = *s < 0xF0 ? 3 : 4;
    if (end - s < wide) return 0;
    uint32_t code = wide == 3 ? (s[0] & 0xFu) << 12 | (s[1] & 0x3Fu) << 6 | (s[2] & 0x3Fu)
                              : (s[0] & 0x7u) << 18 | (s[1] & 0x3Fu) << 12 | (s[2] & 0x3Fu) << 6 | (s[3] & 0x3Fu);
    for (size_t i = 0; i < sizeof HAN_AND_KANA / sizeof *HAN_AND_KANA && code >= HAN_AND_KANA[i][0]; i++)
        if (code <= HAN_AND_KANA[i][1]) return wide;
    return 0;
}

/* Words with other signs than ASCII, one a line, each with its place among all. */
typedef struct {
    unsigned char *letters;
    size_t *places, length, count;
} Others;

/* Puts the hashes of these words, in lower case as Python writes it, at their places; 0 if that failed. */
static int hash_others(const Others *others, uint64_t *hashes) {
    if (others->count == 0) return 1;
    PyObject *text = PyUnicode_DecodeUTF8((const char *)others->letters, (Py_ssize_t)others->length, "strict");
    PyObject *small = text ? PyObject_CallMethod(text, "lower", NULL) : NULL;
    PyObject *written = small ? PyUnicode_AsUTF8String(small) : NULL;
    char *letters = NULL;
    Py_ssize_t length = 0;
    int made = written && PyBytes_AsStringAndSize(written, &letters, &length) == 0;
    const unsigned char *s = (const unsigned char *)letters, *end = s + (made ? length : 0);
    for (size_t i = 0; made && i < others->count; i++) {
        const unsigned char *line = memchr(s, '\n', (size_t)(end - s));
        if (line == NULL) line = end;
        hashes[others->places[i]] = mixed(crc32_of(s, (size_t)(line - s)) + ODD);
        s = line < end ? line + 1 : end;
    }
    Py_XDECREF(text), Py_XDECREF(small), Py_XDECREF(written);
    return made;
}

/* The hash of the ASCII word that begins here, in lower case; `*length` is 0 if it is none, or too near to the end to be
 * read in steps of eight letters. In the last one, what is not of the word is shifted out, so that nothing depends on
 * its length but a number. */
static uint64_t ascii_word(const unsigned char *s, const unsigned char *end, size_t *length) {
    *length = 0;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const uint64_t each = 0x0101010101010101u, high = 0x80 * each;
    const unsigned char *at = s;
    uint32_t crc = 0xFFFFFFFFu;
    for (unsigned n = 8; n == 8; at += n) {
        uint64_t bytes;
        if (end - at < (ptrdiff_t)sizeof bytes) return 0;
        memcpy(&bytes, at, sizeof bytes);
        uint64_t blank = (bytes - 0x21 * each) & ~bytes & high; /* the lowest is right: below 0x21 */
        n = blank ? (unsigned)__builtin_ctzll(blank) / 8 : 8;
        if (n < 8 && !parts_words(at[n])) return 0;
        if (n == 0) break;
        unsigned shift = 64 - 8 * n;
        bytes <<= shift;
        if (bytes & high) return 0;
        uint64_t capital = (bytes + (0x80 - 'A') * each) & ~(bytes + (0x80 - 'Z' - 1) * each) & high;
        bytes = (bytes | capital >> 2) ^ (uint64_t)crc << shift;
        crc = n < 4 ? crc >> 8 * n : 0;
        for (unsigned i = 0; i < 8; i++) crc ^= crc_of[7 - i][bytes >> 8 * i & 0xFF];
    }
    *length = (size_t)(at - s);
    return mixed((uint32_t)~crc + ODD);
#else
    (void)s, (void)end;
    return 0;
#endif
}

/* word_hashes(text as UTF-8, most, spaced, left_out) -> the hashes of its first words in lower case; None if an
 * alphabet without blanks may be there and the text was not `spaced`. `left_out` has a byte for each line, not 0 if the line is. */
static PyObject *word_hashes(PyObject *module, PyObject *args) {
    (void)module;
    const unsigned char *s, *left_out;
    Py_ssize_t n, most, lines;
    int spaced;
    if (!PyArg_ParseTuple(args, "y#npy#", &s, &n, &most, &spaced, &left_out, &lines)) return NULL;
    size_t room = (size_t)(n / 2 + 1 < most ? n / 2 + 1 : most > 0 ? most : 0), found = 0;
    uint64_t *hashes = malloc(room * sizeof *hashes + 1);
    Others others = {malloc(2 * (size_t)n + 1), malloc(room * sizeof *others.places + 1), 0, 0};
    PyObject *made = NULL;
    int alphabet = 0;
    if (hashes == NULL || others.letters == NULL || others.places == NULL) {
        PyErr_NoMemory();
        goto end;
    }
    Py_ssize_t line = 0;
    for (const unsigned char *end = s + n, *stop; found < room && !alphabet;) {
        if (line < lines && left_out[line]) {
            if ((stop = memchr(s, '\n', (size_t)(end - s))) == NULL) break;
            s = stop;
        }
        if (s < end && parts_words(*s)) {
            line += *s++ == '\n';
            continue;
        }
        if (s == end) break;
        size_t length = 0;
        hashes[found] = ascii_word(s, end, &length);
        if (length) {
            s += length;
            found++;
            continue;
        }
        const unsigned char *word = s;
        unsigned char any = 0;
        for (int wide; s < end && !parts_words(*s); s++) {
            any |= *s;
            if (*s < 0xE0 || spaced || (wide = spaceless(s, end)) == 0) continue;
            alphabet |= wide < 0;
            if (wide > 0 && s == word) s += wide; /* a sign is a word, and ends the one before it */
            if (wide > 0) break;
        }
        length = (size_t)(s - word);
        if (any < 0x80) {
            hashes[found] = mixed(crc32_lower(word, length) + ODD);
        } else {
            if (others.count) others.letters[others.length++] = '\n';
            memcpy(others.letters + others.length, word, length);
            others.length += length;
            others.places[others.count++] = found;
        }
        found++;
    }
    if (alphabet)
        made = Py_NewRef(Py_None);
    else if (hash_others(&others, hashes))
        made = PyBytes_FromStringAndSize((const char *)hashes, (Py_ssize_t)(found * sizeof *hashes));
end:
    free(hashes), free(others.letters), free(others.places);
    return made;
}

/* The width of the white space that begins here, as Python's `str.split` knows it; 0 for none. */
static size_t white(const unsigned char *s, const unsigned char *end) {
    if (*s <= ' ') return *s == ' ' || (*s >= '\t' && *s <= '\r') || *s >= 0x1C;
    if (*s == 0xC2 && end - s >= 2) return s[1] == 0x85 || s[1] == 0xA0 ? 2 : 0;
    if (*s < 0xE1 || *s > 0xE3 || end - s < 3) return 0;
    unsigned code = (s[0] & 0xFu) << 12 | (s[1] & 0x3Fu) << 6 | (s[2] & 0x3Fu);
    int is_white = code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 ||
                   code == 0x202F || code == 0x205F || code == 0x3000;
    return is_white ? 3 : 0;
}

/* Copies the next eight bytes if they are ASCII with no white space but single blanks and line ends, which become blanks;
 * 0 if they are not. `after_blank` says whether a blank was written last. */
static int copy_eight(unsigned char *made, const unsigned char *s, int *after_blank) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const uint64_t each = 0x0101010101010101u, high = 0x80 * each, most = 0x7F * each;
    uint64_t bytes;
    memcpy(&bytes, s, sizeof bytes);
    if (bytes & high) return 0;
    uint64_t low = ~(bytes + (0x80 - 0x21) * each) & high; /* all sums stay within their byte */
    uint64_t line_end = ~((bytes ^ '\n' * each) + most) & high;
    uint64_t blank = line_end | (~((bytes ^ ' ' * each) + most) & high);
    if (low != blank || blank & (blank << 8 | (*after_blank ? 0x80 : 0))) return 0;
    bytes ^= (line_end >> 7) * ('\n' ^ ' ');
    memcpy(made, &bytes, sizeof bytes);
    *after_blank = blank >> 63;
    return 1;
#else
    (void)made, (void)s, (void)after_blank;
    return 0;
#endif
}

/* single_blanks(text as UTF-8) -> its words with one blank between two */
static PyObject *single_blanks(PyObject *module, PyObject *given) {
    (void)module;
    char *letters;
    Py_ssize_t n;
    if (PyBytes_AsStringAndSize(given, &letters, &n) < 0) return NULL;
    unsigned char *made = malloc((size_t)n + 1);
    if (made == NULL) return PyErr_NoMemory();
    size_t length = 0;
    int after_blank = 1; /* or at the beginning, where none is written either */
    for (const unsigned char *s = (const unsigned char *)letters, *end = s + n; s < end;) {
        if (end - s >= 8 && copy_eight(made + length, s, &after_blank)) {
            length += 8;
            s += 8;
            continue;
        }
        for (const unsigned char *stop = end - s > 8 ? s + 8 : end; s < stop;) {
            size_t wide = *s <= ' ' || *s >= 0xC2 ? white(s, end) : 0;
            if (wide == 0) {
                made[length++] = *s++;
            } else {
                if (!after_blank) made[length++] = ' ';
                s += wide;
            }
            after_blank = wide > 0;
        }
    }
    length -= length > 0 && after_blank;
    PyObject *single = PyBytes_FromStringAndSize((const char *)made, (Py_ssize_t)length);
    free(made);
    return single;
}

/* word_count(text as UTF-8, most) -> how many words it has, at most so many */
static PyObject *word_count(PyObject *module, PyObject *args) {
    (void)module;
    const unsigned char *s;
    Py_ssize_t n, most, found = 0;
    if (!PyArg_ParseTuple(args, "y#n", &s, &n, &most)) return NULL;
    int within = 0;
    for (const unsigned char *end = s + n; s < end && found < most;) {
        size_t wide = *s <= ' ' || *s >= 0xC2 ? white(s, end) : 0;
        found += wide == 0 && !within;
        within = wide == 0;
        s += wide + (size_t)within;
    }
    return PyLong_FromSsize_t(found);
}

/* Sorts them byte by byte, from the lowest: comparing a few hundred in pairs takes longer. `spare` has room for as many. */
static void sort_marks(uint32_t *marks, uint32_t *spare, size_t n) {
    for (int shift = 0; shift < 32; shift += 8) { /* four times, so that they end where they were */
        size_t ends[256] = {0}, before = 0;
        for (size_t i = 0; i < n; i++) ends[marks[i] >> shift & 0xFF]++;
        for (int byte = 0; byte < 256; byte++) {
            size_t count = ends[byte];
            ends[byte] = before;
            before += count;
        }
        for (size_t i = 0; i < n; i++) spare[ends[marks[i] >> shift & 0xFF]++] = marks[i];
        uint32_t *sorted = spare;
        spare = marks;
        marks = sorted;
    }
}

/* blocks(text as UTF-8, most) -> how many lines there are, the marks of the first and last most / 2 of them, and the
 * distinct ones of these, ascending */
static PyObject *blocks(PyObject *module, PyObject *args) {
    (void)module;
    const unsigned char *s;
    Py_ssize_t n, most;
    if (!PyArg_ParseTuple(args, "y#n", &s, &n, &most)) return NULL;
    if (most < 2 || most % 2) return PyErr_Format(PyExc_ValueError, "most must be even, and at least 2");
    size_t lines = 1, half = (size_t)most / 2, looked_at = 0, kept = 0;
    const unsigned char *end = s + n;
    for (const unsigned char *at = s; at < end && (at = memchr(at, '\n', (size_t)(end - at))); at++) lines++;
    size_t room = lines < (size_t)most ? lines : (size_t)most;
    uint32_t *marks = malloc(2 * room * sizeof *marks);
    if (marks == NULL) return PyErr_NoMemory();
    for (size_t line = 0; line < lines; line++) {
        const unsigned char *stop = s < end ? memchr(s, '\n', (size_t)(end - s)) : NULL;
        if (stop == NULL) stop = end;
        if (lines <= (size_t)most || line < half || line >= lines - half)
            marks[looked_at++] = crc32_of(s, (size_t)(stop - s));
        s = stop < end ? stop + 1 : end;
    }
    PyObject *all = PyBytes_FromStringAndSize((const char *)marks, (Py_ssize_t)(looked_at * sizeof *marks));
    sort_marks(marks, marks + room, looked_at);
    for (size_t i = 0; i < looked_at; i++)
        if (i == 0 || marks[i] != marks[i - 1]) marks[kept++] = marks[i];
    PyObject *distinct_ones = PyBytes_FromStringAndSize((const char *)marks, (Py_ssize_t)(kept * sizeof *marks));
    free(marks);
    if (all == NULL || distinct_ones == NULL) {
        Py_XDECREF(all), Py_XDECREF(distinct_ones);
        return NULL;
    }
    return Py_BuildValue("nNN", (Py_ssize_t)lines, all, distinct_ones);
}

/* Puts the distinct ones of `words` first; says how many. `words` is a copy; 0 is distinct as any. */
static size_t distinct(uint64_t *words, size_t n, uint64_t *table, size_t mask) {
    size_t kept = 0;
    int zero = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t word = words[i];
        size_t at = (size_t)word & mask;
        if (word == 0 && zero++) continue;
        while (table[at] != word && table[at] && word) at = (at + 1) & mask;
        words[kept] = word; /* is written over if it is not new: whether it is, nobody can foresee */
        kept += (table[at] != word) | (word == 0);
        table[at] = word ? word : table[at];
    }
    return kept;
}

/* Adds two numbers of one digit a bit to `sum`; the digits carried. */
static uint64_t add_both(uint64_t *sum, uint64_t one, uint64_t other) {
    uint64_t part = *sum ^ one, carry = (*sum & one) | (part & other);
    *sum = part ^ other;
    return carry;
}

static void carry_on(uint64_t *planes, int k, uint64_t carry) {
    for (; carry && k < PLANES; k++) {
        uint64_t both = planes[k] & carry;
        planes[k] ^= carry;
        carry = both;
    }
}

/* fingerprint(hashes) -> bit i is set if more than half of the distinct ones have it.
 *
 * The 64 counts are kept upright: bit i of plane k is bit k of the count of bit i. */
static PyObject *fingerprint(PyObject *module, PyObject *args) {
    (void)module;
    const char *given;
    Py_ssize_t length;
    if (!PyArg_ParseTuple(args, "y#", &given, &length)) return NULL;
    size_t n = (size_t)length / sizeof(uint64_t), size = 16;
    while (size < 2 * n) size *= 2;
    uint64_t *words = malloc(n * sizeof *words + 1), *table = calloc(size, sizeof *table), planes[PLANES] = {0}, found = 0;
    if (words == NULL || table == NULL) {
        free(words), free(table);
        return PyErr_NoMemory();
    }
    memcpy(words, given, n * sizeof *words);
    n = distinct(words, n, table, size - 1);
    size_t i = 0;
    for (uint64_t *w = words; i + 8 <= n; i += 8, w += 8) {
        uint64_t a = add_both(planes, w[0], w[1]), b = add_both(planes, w[2], w[3]);
        uint64_t c = add_both(planes, w[4], w[5]), d = add_both(planes, w[6], w[7]);
        uint64_t fours = add_both(planes + 1, a, b), more = add_both(planes + 1, c, d);
        carry_on(planes, 3, add_both(planes + 2, fours, more));
    }
    for (; i < n; i++) carry_on(planes, 0, words[i]);
    free(words), free(table);
    for (int bit = 0; bit < 64; bit++) {
        size_t count = 0;
        for (int k = 0; k < PLANES; k++) count |= (size_t)(planes[k] >> bit & 1) << k;
        found |= (uint64_t)(2 * count > n) << bit;
    }
    return PyLong_FromUnsignedLongLong(found);
}

/* Puts the smallest hash of the shingles of these words into each bin. There are words. */
static void take_minima(const char *words, size_t n, uint64_t taken[BINS]) {
    size_t wide = n < WORDS ? n : WORDS, runs = n - wide + 1;
    uint64_t least[BINS];
    char filled[BINS] = {0};
    memset(least, 0xFF, sizeof least);
    for (size_t run = 0; run < runs; run++) {
        uint64_t together = 0;
        for (size_t place = 0; place < wide; place++) {
            uint64_t word;
            memcpy(&word, words + (run + place) * sizeof word, sizeof word);
            together += word * powers[place];
        }
        together = mixed(together);
        unsigned bin = (unsigned)(together >> (64 - BIN_BITS));
        least[bin] = together < least[bin] ? together : least[bin]; /* whether it is, nobody can foresee */
        filled[bin] = 1;
    }
    for (unsigned bin = 0; bin < BINS; bin++) {
        unsigned away = 0;
        while (!filled[(bin + away) % BINS]) away++;
        taken[bin] = least[(bin + away) % BINS] + away * ODD;
    }
}

static PyObject *bands_of(const uint64_t taken[BINS]) {
    PyObject *bands = PyTuple_New(BANDS);
    for (unsigned band = 0; bands && band < BANDS; band++) {
        uint64_t sum = 0;
        for (unsigned i = 0; i < IN_BAND; i++) sum += mixed(taken[band * IN_BAND + i]) * in_band[i];
        PyObject *number = PyLong_FromUnsignedLongLong(mixed(sum) >> 32);
        if (number == NULL || PyTuple_SetItem(bands, band, number) < 0) {
            Py_DECREF(bands);
            return NULL;
        }
    }
    return bands;
}

/* The hashes of words that are given, and how many; NULL if there are none to be had. */
static const char *hashes_in(PyObject *args, size_t *n) {
    const char *words;
    Py_ssize_t length;
    if (!PyArg_ParseTuple(args, "y#", &words, &length)) return NULL;
    *n = (size_t)length / sizeof(uint64_t);
    return words;
}

/* sketch(hashes) -> a number for each band; none without words */
static PyObject *sketch(PyObject *module, PyObject *args) {
    (void)module;
    size_t n = 0;
    uint64_t taken[BINS];
    const char *words = hashes_in(args, &n);
    if (words == NULL) return NULL;
    if (n == 0) return PyTuple_New(0);
    take_minima(words, n, taken);
    return bands_of(taken);
}

/* minima(hashes) -> the smallest hash of the shingles in each bin. There are words. */
static PyObject *minima(PyObject *module, PyObject *args) {
    (void)module;
    size_t n = 0;
    uint64_t taken[BINS];
    const char *words = hashes_in(args, &n);
    if (words == NULL) return NULL;
    if (n == 0) return PyErr_Format(PyExc_ValueError, "there are no words");
    take_minima(words, n, taken);
    return PyBytes_FromStringAndSize((const char *)taken, sizeof taken);
}

/* banded(minima) -> a number for each band of them */
static PyObject *banded(PyObject *module, PyObject *args) {
    (void)module;
    const char *given;
    Py_ssize_t length;
    uint64_t taken[BINS];
    if (!PyArg_ParseTuple(args, "y#", &given, &length)) return NULL;
    if (length != sizeof taken) return PyErr_Format(PyExc_ValueError, "there must be %d minima", (int)BINS);
    memcpy(taken, given, sizeof taken);
    return bands_of(taken);
}

/* frequent(marks, pages, least) -> a byte for each mark: 1 if it stands on so many of the pages, else 0; all are 32-bit
 * numbers, and no page has one twice */
static PyObject *frequent(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer given, page;
    PyObject *pages, *made = NULL;
    Py_ssize_t least;
    if (!PyArg_ParseTuple(args, "y*O!n", &given, &PyList_Type, &pages, &least)) return NULL;
    const uint32_t *marks = given.buf;
    size_t n = (size_t)given.len / sizeof *marks, size = 16;
    while (size < 8 * n) size *= 2; /* most that is looked for is not there */
    struct {
        uint32_t mark;
        int32_t count; /* -1: nothing is here */
    } *table = malloc(size * sizeof *table);
    char *flags = malloc(n + 1);
    if (table == NULL || flags == NULL) {
        PyErr_NoMemory();
        goto end;
    }
    memset(table, 0xFF, size * sizeof *table);
#define PLACE(looked_for, at)                                                                                          \
    size_t at = ((looked_for) * 0x9E3779B1u >> 7) & (size - 1);                                                        \
    while (table[at].count >= 0 && table[at].mark != (looked_for)) at = (at + 1) & (size - 1)
    for (size_t i = 0; i < n; i++) {
        PLACE(marks[i], at);
        table[at].mark = marks[i];
        table[at].count = 0;
    }
    for (Py_ssize_t i = 0; i < PyList_Size(pages); i++) {
        if (PyObject_GetBuffer(PyList_GetItem(pages, i), &page, PyBUF_SIMPLE) < 0) goto end;
        const uint32_t *there = page.buf;
        for (size_t k = 0; k < (size_t)page.len / sizeof *there; k++) {
            PLACE(there[k], at);
            table[at].count += table[at].count >= 0;
        }
        PyBuffer_Release(&page);
    }
    for (size_t i = 0; i < n; i++) {
        PLACE(marks[i], at);
        flags[i] = table[at].count >= least;
    }
#undef PLACE
    made = PyBytes_FromStringAndSize(flags, (Py_ssize_t)n);
end:
    free(table), free(flags);
    PyBuffer_Release(&given);
    return made;
}

static int bits(uint64_t n) {
    int count = 0;
    for (; n; n &= n - 1) count++;
    return count;
}

/* repeats(mark, marks, near, bands, recent) -> whether no more than `near` bits part the mark from one of the marks, or a
 * band is at its place among `recent`, which has as many of each page */
static PyObject *repeats(PyObject *module, PyObject *args) {
    (void)module;
    unsigned long long mark;
    int near, found = 0;
    Py_buffer marks, recent;
    PyObject *bands;
    if (!PyArg_ParseTuple(args, "Ky*iO!y*", &mark, &marks, &near, &PyTuple_Type, &bands, &recent)) return NULL;
    const uint64_t *others = marks.buf;
    for (size_t i = 0; !found && i < (size_t)marks.len / sizeof *others; i++) found = bits(mark ^ others[i]) <= near;
    const uint32_t *there = recent.buf;
    size_t wide = (size_t)PyTuple_Size(bands);
    for (size_t place = 0; !found && place < wide; place++) {
        unsigned long band = PyLong_AsUnsignedLong(PyTuple_GetItem(bands, (Py_ssize_t)place));
        if (PyErr_Occurred()) break;
        for (size_t i = place; !found && i < (size_t)recent.len / sizeof *there; i += wide) found = there[i] == band;
    }
    PyBuffer_Release(&marks);
    PyBuffer_Release(&recent);
    return PyErr_Occurred() ? NULL : PyBool_FromLong(found);
}

/* -- links of a page */

/* Text of ASCII that is given; 0 if it is none, or an error is set. */
static int read_ascii(PyObject *given, const unsigned char **s, size_t *n) {
    Py_ssize_t length;
    if (!PyUnicode_Check(given)) {
        PyErr_SetString(PyExc_TypeError, "URLs are text");
        return 0;
    }
    if ((*s = (const unsigned char *)PyUnicode_AsUTF8AndSize(given, &length)) == NULL) return 0;
    *n = (size_t)length;
    return length == PyUnicode_GetLength(given);
}

typedef struct {
    const unsigned char *s;
    size_t n;
    Py_ssize_t place;
} Path;

static int in_order(const void *one, const void *other) {
    const Path *a = one, *b = other;
    int found = memcmp(a->s, b->s, a->n < b->n ? a->n : b->n);
    if (found) return found;
    return a->n == b->n ? (a->place > b->place) - (a->place < b->place) : a->n < b->n ? -1 : 1;
}

static int begins_with(const Path *path, const unsigned char *own, size_t n) {
    size_t i = 0;
    while (i < n && i < path->n && lower[path->s[i]] == own[i]) i++;
    return i == n;
}

/* The path of a URL without its query and the slashes at its end; 0 if there is none, or an error is set. */
static int read_path(PyObject *url, Path *path) {
    const unsigned char *s, *at;
    size_t n;
    if (!read_ascii(url, &s, &n)) return 0;
    if ((at = memchr(s, '?', n)) != NULL) n = (size_t)(at - s);
    if (n < 8 || (at = memchr(s + 8, '/', n - 8)) == NULL) return 0;
    path->s = at + 1;
    path->n = n - (size_t)(path->s - s);
    while (path->n && path->s[path->n - 1] == '/') path->n--;
    return 1;
}

/* The checksum of these paths, each once, in their order, and each on a line of its own. Of equal ones the last is asked
 * for whether it `is_own`, if it begins with `own`: then it is left out. */
static PyObject *checksum_of(Path *paths, size_t n, PyObject *urls, const Path *own, PyObject *is_own) {
    size_t length = 0;
    for (size_t i = 0; i < n; i++) length += paths[i].n + 1;
    unsigned char *lines = malloc(length + 1), *to = lines;
    if (lines == NULL) return PyErr_NoMemory();
    qsort(paths, n, sizeof *paths, in_order);
    for (size_t i = 0; i < n; i++) {
        const Path *path = paths + i;
        if (i + 1 < n && path->n == path[1].n && memcmp(path->s, path[1].s, path->n) == 0) continue;
        if (begins_with(path, own->s, own->n)) {
            PyObject *told = PyObject_CallFunctionObjArgs(is_own, PyList_GetItem(urls, path->place), NULL);
            int left_out = told ? PyObject_IsTrue(told) : -1;
            Py_XDECREF(told);
            if (left_out < 0) {
                free(lines);
                return NULL;
            }
            if (left_out) continue;
        }
        memcpy(to, path->s, path->n);
        to += path->n;
        *to++ = '\n';
    }
    PyObject *found = PyLong_FromUnsignedLong(crc32_of(lines, (size_t)(to - lines) - (to > lines)));
    free(lines);
    return found;
}

/* where_to(urls, own, is_own) -> the checksum of the paths of these URLs; None if some are no ASCII, or have no path */
static PyObject *where_to(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *urls, *begin, *is_own, *found = NULL;
    if (!PyArg_ParseTuple(args, "O!OO", &PyList_Type, &urls, &begin, &is_own)) return NULL;
    Path own = {NULL, 0, 0};
    Py_ssize_t n = PyList_Size(urls), read = 0;
    Path *paths = malloc((size_t)n * sizeof *paths + 1);
    if (paths == NULL) return PyErr_NoMemory();
    int plain = read_ascii(begin, &own.s, &own.n);
    for (; plain && read < n && read_path(PyList_GetItem(urls, read), paths + read); read++) paths[read].place = read;
    if (plain && read == n) {
        found = checksum_of(paths, (size_t)n, urls, &own, is_own);
    } else if (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) {
        PyErr_Clear();
        found = Py_NewRef(Py_None);
    }
    free(paths);
    return found;
}

/* caught(known, urls, below, bit) -> of the URLs whose CRC-32 is below that, and not known with this bit, each with its
 * CRC-32 and what is known of it, 0 for nothing */
static PyObject *caught(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *known, *urls;
    unsigned long long below;
    long bit;
    if (!PyArg_ParseTuple(args, "O!O!Kl", &PyDict_Type, &known, &PyTuple_Type, &urls, &below, &bit)) return NULL;
    PyObject *found = PyList_New(0);
    for (Py_ssize_t i = 0; found && i < PyTuple_Size(urls); i++) {
        Py_ssize_t n;
        PyObject *url = PyTuple_GetItem(urls, i);
        const char *s = PyUnicode_AsUTF8AndSize(url, &n);
        uint32_t crc = s ? crc32_of((const unsigned char *)s, (size_t)n) : 0;
        if (s && crc >= below) continue;
        PyObject *key = s ? PyLong_FromUnsignedLong(crc) : NULL, *item = NULL;
        PyObject *there = key ? PyDict_GetItemWithError(known, key) : NULL;
        long held = there ? PyLong_AsLong(there) : 0;
        if (!PyErr_Occurred() && there && (held | bit) == held) {
            Py_DECREF(key);
            continue;
        }
        if (!PyErr_Occurred()) item = Py_BuildValue("OOl", url, key, held);
        if (item == NULL || PyList_Append(found, item) < 0) Py_CLEAR(found);
        Py_XDECREF(item), Py_XDECREF(key);
    }
    return found;
}

static PyMethodDef methods[] = {
    {"word_hashes", word_hashes, METH_VARARGS, "The hashes of the first words of a text."},
    {"single_blanks", single_blanks, METH_O, "The words of a text with one blank between two."},
    {"word_count", word_count, METH_VARARGS, "How many words a text has."},
    {"where_to", where_to, METH_VARARGS, "The checksum of the paths of URLs."},
    {"caught", caught, METH_VARARGS, "URLs of which something new is known, by their checksums."},
    {"blocks", blocks, METH_VARARGS, "The lines of a text: their number, their marks, and the distinct ones."},
    {"frequent", frequent, METH_VARARGS, "Which marks stand on so many pages."},
    {"repeats", repeats, METH_VARARGS, "Whether a page is like one of some others, by marks or bands."},
    {"fingerprint", fingerprint, METH_VARARGS, "The simhash of distinct words, by their hashes."},
    {"sketch", sketch, METH_VARARGS, "One number for each band of minima, by the hashes of the words."},
    {"minima", minima, METH_VARARGS, "The smallest hash of shingles in each bin, by the hashes of the words."},
    {"banded", banded, METH_VARARGS, "One number for each band of minima."},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "lycosa.crawl._sketching", NULL, -1, methods, NULL, NULL,
                                    NULL, NULL};

PyMODINIT_FUNC PyInit__sketching(void) {
    fill_tables();
    PyObject *made = PyModule_Create(&module);
    if (made && PyModule_AddIntConstant(made, "SOURCE", SOURCE) < 0) Py_CLEAR(made);
    return made;
}
