/* What `lycosa.crawl.sketch` works out of the words of a text, with the same answers: hashes of its words, a simhash of
 * them, and a sketch. That module explains the rules; tests compare the two.
 *
 * Hashes go to and fro as 64-bit numbers of this machine, side by side. */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 5, BINS = 128, BIN_BITS = 7, BANDS = 8, IN_BAND = BINS / BANDS, PLANES = 32 };
static const uint64_t ODD = 0x9E3779B97F4A7C15u;

static uint32_t crc_of[256];
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
        crc_of[i] = c;
    }
    draw(powers, WORDS, 0);
    draw(in_band, IN_BAND, WORDS);
}

static int parts_words(unsigned char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* word_hashes(text in lower case, as UTF-8, most) -> the hashes of its first words */
static PyObject *word_hashes(PyObject *module, PyObject *args) {
    (void)module;
    const unsigned char *s;
    Py_ssize_t n, most;
    if (!PyArg_ParseTuple(args, "y#n", &s, &n, &most)) return NULL;
    size_t room = (size_t)(n / 2 + 1 < most ? n / 2 + 1 : most > 0 ? most : 0), found = 0;
    uint64_t *hashes = malloc(room * sizeof *hashes + 1);
    if (hashes == NULL) return PyErr_NoMemory();
    for (const unsigned char *end = s + n; found < room;) {
        while (s < end && parts_words(*s)) s++;
        if (s == end) break;
        uint32_t crc = 0xFFFFFFFFu;
        for (; s < end && !parts_words(*s); s++) crc = crc_of[(crc ^ *s) & 0xFF] ^ crc >> 8;
        hashes[found++] = mixed((crc ^ 0xFFFFFFFFu) + ODD);
    }
    PyObject *made = PyBytes_FromStringAndSize((const char *)hashes, (Py_ssize_t)(found * sizeof *hashes));
    free(hashes);
    return made;
}

/* Puts the distinct ones of `words` first; says how many. `words` is a copy; 0 is distinct as any. */
static size_t distinct(uint64_t *words, size_t n, uint64_t *table, size_t mask) {
    size_t kept = 0;
    int zero = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t word = words[i];
        size_t at = (size_t)word & mask;
        if (word == 0 && zero++) continue;
        while (word && table[at] && table[at] != word) at = (at + 1) & mask;
        if (word && table[at] == word) continue;
        if (word) table[at] = word;
        words[kept++] = word;
    }
    return kept;
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
    for (size_t i = 0; i < n; i++) {
        uint64_t carry = words[i];
        for (int k = 0; carry && k < PLANES; k++) {
            uint64_t both = planes[k] & carry;
            planes[k] ^= carry;
            carry = both;
        }
    }
    free(words), free(table);
    for (int bit = 0; bit < 64; bit++) {
        size_t count = 0;
        for (int k = 0; k < PLANES; k++) count |= (size_t)(planes[k] >> bit & 1) << k;
        found |= (uint64_t)(2 * count > n) << bit;
    }
    return PyLong_FromUnsignedLongLong(found);
}

/* sketch(hashes) -> a number for each band; none without words */
static PyObject *sketch(PyObject *module, PyObject *args) {
    (void)module;
    const char *words;
    Py_ssize_t length;
    if (!PyArg_ParseTuple(args, "y#", &words, &length)) return NULL;
    size_t n = (size_t)length / sizeof(uint64_t), wide = n < WORDS ? n : WORDS, runs = n - wide + 1;
    if (n == 0) return PyTuple_New(0);
    uint64_t least[BINS], taken[BINS];
    char filled[BINS] = {0};
    for (size_t run = 0; run < runs; run++) {
        uint64_t together = 0;
        for (size_t place = 0; place < wide; place++) {
            uint64_t word;
            memcpy(&word, words + (run + place) * sizeof word, sizeof word);
            together += word * powers[place];
        }
        together = mixed(together);
        unsigned bin = (unsigned)(together >> (64 - BIN_BITS));
        if (!filled[bin] || together < least[bin]) least[bin] = together;
        filled[bin] = 1;
    }
    for (unsigned bin = 0; bin < BINS; bin++) {
        unsigned away = 0;
        while (!filled[(bin + away) % BINS]) away++;
        taken[bin] = least[(bin + away) % BINS] + away * ODD;
    }
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

static PyMethodDef methods[] = {
    {"word_hashes", word_hashes, METH_VARARGS, "The hashes of the first words of a text in lower case."},
    {"fingerprint", fingerprint, METH_VARARGS, "The simhash of distinct words, by their hashes."},
    {"sketch", sketch, METH_VARARGS, "One number for each band of minima, by the hashes of the words."},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "lycosa.crawl._sketching", NULL, -1, methods, NULL, NULL,
                                    NULL, NULL};

PyMODINIT_FUNC PyInit__sketching(void) {
    fill_tables();
    return PyModule_Create(&module);
}
