/* One pass over a page's tree: what `lycosa.read.walk`, `lycosa.read.blocks` and the tokens of
 * `lycosa.scoring.words.terms` say of it, with the same answers. These modules explain the rules; here they stand as
 * they are there, function by function, and tests compare the two on every page that they have.
 *
 * lexbor is not linked: its functions are taken from the extension that selectolax ships, by their names. Nothing of
 * the layout of its records is written here but that a text node holds a pointer and a length side by side; `bind`
 * finds out where.
 *
 * All work on the page is done without Python's lock, in buffers of its own; objects are made afterwards. Memory that
 * cannot be had ends the pass by one jump to where all of it is freed.
 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <dlfcn.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifndef SOURCE
#define SOURCE 0 /* the CRC-32 of this file, which the build gives */
#endif

typedef unsigned char u8;
typedef struct node Node;
typedef struct attr Attr;
typedef struct document Tree;

/* -- what is taken of lexbor */

static struct {
    Tree *(*create)(void);
    unsigned (*parse)(Tree *, const u8 *, size_t);
    Tree *(*destroy)(Tree *);
    Node *(*root)(Tree *);
    Node *(*child)(Node *);
    Node *(*next)(Node *);
    Node *(*prev)(Node *);
    Node *(*parent)(Node *);
    uintptr_t (*tag)(Node *);
    const u8 *(*name)(Node *, size_t *);
    Attr *(*first)(Node *);
    Attr *(*following)(Attr *);
    const u8 *(*attr)(Attr *, size_t *);
    const u8 *(*value)(Attr *, size_t *);
} lxb;

static size_t text_at; /* words into a text node where the pointer to its letters stands; the length follows */

enum { ACTS = 512, KEPT_FREE = 4 << 20 };
enum act { NO_ACT, BLOCK_ACT, LANDMARK, CONTAINER, HEADING, LABEL, SKIP, LINK, AREA, IMAGE, FRAME, HTML, TITLE, BASE,
           META, RELATION, BREAK, TEXT };
enum { IS_BLOCK = 1, IS_SKIPPED = 2, IS_PART = 4, IS_RAW = 8, IS_HEADER = 16 };
static u8 acts[ACTS], traits[ACTS];

enum { MAX_ANCHOR = 1000, LONG_LABEL = 64 * MAX_ANCHOR, MAX_PATH = 64, MAX_STEP = 200, WINDOW = 20, MAX_LINK = 1000, REACH = 600,
       MIN_WORDS = 5, SIGNS = 0x2C00, FEW_SLOTS = 1024 };

/* -- buffers */

typedef struct { char *p; size_t n, cap; } Buf;
typedef struct { size_t at, n; } Span;
typedef struct { Node *key; Span path; } Known;
typedef struct { Span text; u8 counts; } Name;
typedef struct { Span name, content; ptrdiff_t slot; } Meta;
typedef struct { Span href, rel, type, tongue; } Relation;
typedef struct { Span word; size_t count; uint64_t hash; } Word;
typedef struct { Span context; size_t place; u8 boilerplate; } Place;
typedef struct { u8 kind, in_nav; size_t letters, linked, places, first; Span text; } Line;
typedef struct {
    Span href, anchor, title, path, rel;
    ptrdiff_t name;
    u8 in_nav, in_text;
} Ref;

typedef struct {
    jmp_buf out;
    Tree *tree;
    Buf parts, arena, text, scratch, clean, block, slots;
    Buf starts, refs, names, metas, relations, lines, places, words, chain, table, boxes, runs;
    size_t known;
    size_t kind_at;
    ptrdiff_t name;
    Node *nav_until, *anchor_until;
    Span title, base, language;
    Buf alternatives;
    ptrdiff_t anchor;
    size_t since;
    u8 open, holds_blocks, wide, refused, uncounted, only_text; /* the last: nothing else is asked for */
} Page;

static Node *const LAST = (Node *)1; /* behind the last node */

static void *room(Page *g, Buf *b, size_t more) {
    if (b->cap - b->n < more) {
        size_t cap = b->cap ? b->cap * 2 : 256;
        while (cap - b->n < more) cap *= 2;
        char *p = realloc(b->p, cap);
        if (p == NULL) longjmp(g->out, 1);
        b->p = p, b->cap = cap;
    }
    return b->p + b->n;
}

static void put(Page *g, Buf *b, const void *s, size_t n) {
    if (n == 0) return;
    memcpy(room(g, b, n), s, n);
    b->n += n;
}

static void put_sign(Page *g, Buf *b, char sign) { *(char *)room(g, b, 1) = sign, b->n++; }

#define ADD(g, buf, kind) (room((g), &(g)->buf, sizeof(kind)), (g)->buf.n += sizeof(kind), \
                           (kind *)((g)->buf.p + (g)->buf.n) - 1)
#define COUNT(g, buf, kind) ((g)->buf.n / sizeof(kind))
#define AT(g, buf, kind, i) ((kind *)(g)->buf.p + (i))

static Span keep(Page *g, const u8 *s, size_t n) {
    Span kept = {g->arena.n, n};
    put(g, &g->arena, s, n);
    return kept;
}

/* -- letters */

/* The bytes of the white space that begins here, as `str.isspace` has it; 0 if none does. */
static size_t blank_at(const u8 *s, const u8 *end) {
    u8 c = *s;
    if (c < 0x80) return c == ' ' || (c >= 9 && c <= 13) || (c >= 28 && c <= 31);
    if (c == 0xC2) return end - s > 1 && (s[1] == 0x85 || s[1] == 0xA0) ? 2 : 0;
    if (end - s < 3 || c < 0xE1 || c > 0xE3) return 0;
    if (c == 0xE1) return s[1] == 0x9A && s[2] == 0x80 ? 3 : 0;
    if (c == 0xE3) return s[1] == 0x80 && s[2] == 0x80 ? 3 : 0;
    if (s[1] == 0x80) return s[2] <= 0x8A || s[2] == 0xA8 || s[2] == 0xA9 || s[2] == 0xAF ? 3 : 0;
    return s[1] == 0x81 && s[2] == 0x9F ? 3 : 0;
}

/* Whether none of eight letters needs a look of its own: all are of ASCII, none controls, no blank beside another. May
 * say no of some that need none. */
static int are_plain(const u8 *s) {
    const uint64_t ones = 0x0101010101010101u, tops = ones << 7;
    uint64_t eight, other;
    memcpy(&eight, s, sizeof eight);
    other = eight ^ ones * ' ';
    uint64_t blanks_at = (other - ones) & ~other & tops, controls = (eight - ones * ' ') & ~eight & tops;
    return !((eight & tops) | controls | (blanks_at & blanks_at << 8));
}

/* Append with every run of white space made one blank, also together with a blank that is there. */
static void put_text(Page *g, Buf *b, const u8 *s, size_t n) {
    const u8 *end = s + n;
    u8 *to = room(g, b, n + 1), *from = to;
    int blank = b->n > 0 && b->p[b->n - 1] == ' ', wide = 0;
    while (s < end) {
        u8 c = *s;
        if (end - s >= 8 && !(blank && c == ' ') && are_plain(s)) {
            memcpy(to, s, 8);
            to += 8, s += 8, blank = s[-1] == ' ';
            continue;
        }
        if (c > ' ' && c < 0x80) {
            *to++ = c, s++, blank = 0;
            continue;
        }
        size_t spaces = blank_at(s, end);
        if (spaces) {
            if (!blank) *to++ = ' ';
            blank = 1, s += spaces;
            continue;
        }
        wide |= c >= 0x80;
        *to++ = c, s++, blank = 0;
    }
    b->n += (size_t)(to - from);
    g->wide |= (u8)wide;
}

/* The words, one blank between them, appended to a buffer. */
static Span put_words(Page *g, Buf *b, const u8 *s, size_t n) {
    u8 wide = g->wide;
    while (n) {
        size_t spaces = blank_at(s, s + n);
        if (!spaces) break;
        s += spaces, n -= spaces;
    }
    Span words = {b->n, 0};
    put_sign(g, b, 'x'); /* so that a blank before does not count */
    put_text(g, b, s, n);
    memmove(b->p + words.at, b->p + words.at + 1, b->n - words.at - 1);
    b->n--;
    words.n = b->n - words.at;
    if (words.n && b->p[b->n - 1] == ' ') words.n--, b->n--;
    g->wide = wide;
    return words;
}

static size_t letters(const char *s, size_t n) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++) count += ((u8)s[i] & 0xC0) != 0x80;
    return count;
}

/* The bytes of at most so many letters from the beginning. */
static size_t first_letters(const char *s, size_t n, size_t most) {
    if (n <= most) return n;
    size_t i = 0;
    while (i < n) {
        if (((u8)s[i] & 0xC0) != 0x80 && most-- == 0) break;
        i++;
    }
    return i;
}

static size_t last_letters(const char *s, size_t n, size_t most) {
    if (n <= most) return n;
    size_t i = n;
    while (i > 0 && most > 0) {
        i--;
        most -= ((u8)s[i] & 0xC0) != 0x80;
    }
    return n - i;
}

static size_t blanks(const char *s, size_t n) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++) count += s[i] == ' ';
    return count;
}

static int is_ascii(const char *s, size_t n) {
    u8 all = 0;
    for (size_t i = 0; i < n; i++) all |= (u8)s[i];
    return all < 0x80;
}

static u8 lower(u8 c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }

/* Equal but for the case of ASCII letters; `word` is in lower case. */
static int is_word(const u8 *s, size_t n, const char *word) {
    size_t i = 0;
    while (i < n && word[i] && lower(s[i]) == (u8)word[i]) i++;
    return i == n && !word[i];
}

/* Whether one of the words of a list between white space is this. */
static int has_word(const u8 *s, size_t n, const char *word) {
    const u8 *end = s + n;
    while (s < end) {
        size_t spaces = blank_at(s, end);
        if (spaces) {
            s += spaces;
            continue;
        }
        const u8 *from = s;
        while (s < end && !blank_at(s, end)) s++;
        if (is_word(from, (size_t)(s - from), word)) return 1;
    }
    return 0;
}

/* -- nodes */

static unsigned act_of(Node *node) {
    uintptr_t tag = lxb.tag(node);
    return tag < ACTS ? acts[tag] : NO_ACT;
}

static unsigned traits_of(Node *node) {
    uintptr_t tag = lxb.tag(node);
    return tag < ACTS ? traits[tag] : 0;
}

static const u8 *text_of(Node *node, size_t *n) {
    const uintptr_t *words = (const uintptr_t *)node + text_at;
    *n = words[0] ? (size_t)words[1] : 0;
    return (const u8 *)words[0];
}

static int is_empty(Node *node) {
    size_t n;
    if (act_of(node) != TEXT) return 0;
    const u8 *s = text_of(node, &n);
    for (size_t i = 0; i < n; i++)
        if (s[i] != ' ' && s[i] != '\t' && s[i] != '\n' && s[i] != '\f' && s[i] != '\r') return 0;
    return 1;
}

enum { ID, CLASS, ROLE, HREF, NAMED_TITLE, REL, ALT, SRC, NAME, PROPERTY, HTTP_EQUIV, CONTENT, TYPE, LANG, XML_LANG, HREFLANG,
       NAMES };
static const char *const NAMED[NAMES] = {"id", "class", "role", "href", "title", "rel", "alt", "src", "name",
                                         "property", "http-equiv", "content", "type", "lang", "xml:lang", "hreflang"};
static size_t named_length[NAMES];
typedef struct { const u8 *s[NAMES]; size_t n[NAMES]; } Attributes;

/* Of two with one name the last counts; one without a value is as if it were not there. */
static void read_attributes(Node *node, Attributes *a) {
    memset(a, 0, sizeof *a);
    for (Attr *each = lxb.first(node); each != NULL; each = lxb.following(each)) {
        size_t n = 0, length = 0;
        const u8 *name = lxb.attr(each, &n);
        if (name == NULL) continue;
        for (int i = 0; i < NAMES; i++)
            if (named_length[i] == n && *name == (u8)*NAMED[i] && memcmp(name, NAMED[i], n) == 0) {
                a->s[i] = lxb.value(each, &length);
                a->n[i] = a->s[i] ? length : 0;
                break;
            }
    }
}

static Node *behind(Node *node) {
    for (Node *at = node; at != NULL; at = lxb.parent(at)) {
        Node *next = lxb.next(at);
        if (next != NULL) return next;
    }
    return LAST;
}

/* The next node of a subtree in document order, NULL at its end. */
static Node *onwards(Node *node, Node *root, int into) {
    Node *next = into ? lxb.child(node) : NULL;
    if (next != NULL) return next;
    while (node != root && (next = lxb.next(node)) == NULL) node = lxb.parent(node);
    return node == root ? NULL : next;
}

/* The text below a node in `scratch`: `shown` leaves out what stands in what is not shown; so many letters at most
 * (0 for all). */
static void gather(Page *g, Node *root, int shown, size_t most) {
    size_t had = 0;
    g->scratch.n = 0;
    for (Node *node = lxb.child(root); node != NULL; node = onwards(node, root, 1)) {
        if (act_of(node) != TEXT || (shown && (traits_of(lxb.parent(node)) & IS_SKIPPED))) continue;
        size_t n;
        const u8 *s = text_of(node, &n);
        if (most) {
            n = first_letters((const char *)s, n, most - had);
            had += letters((const char *)s, n);
        }
        put(g, &g->scratch, s, n);
        if (most && had >= most) break;
    }
}

/* -- navigation by its names */

static const char *const NAV_ROLES[] = {"navigation", "banner", "contentinfo", "complementary", "search", "menu",
                                        "menubar", NULL};
static const char *const NAV_WORDS[] = {
    "nav", "navbar", "navigation", "navi", "menu", "menubar", "submenu", "topmenu", "sidebar", "sidenav", "footer",
    "topbar", "toolbar", "masthead", "breadcrumb", "breadcrumbs", "pagination", "pager", "sitemap", "siteheader",
    "sitefooter", "skiplink", "skiplinks", NULL};

enum { ODD = 1 };

/* Names in lower case with blanks for white space. Four letters outside ASCII match ASCII ones where case does not
 * count; the others become ODD. */
static void put_names(Page *g, const u8 *s, size_t n) {
    const u8 *end = s + n;
    while (s < end) {
        size_t spaces = blank_at(s, end);
        if (spaces) {
            put_sign(g, &g->scratch, ' '), s += spaces;
        } else if (*s < 0x80) {
            put_sign(g, &g->scratch, (char)lower(*s++));
        } else {
            char sign = ODD;
            if (end - s > 1 && s[0] == 0xC5 && s[1] == 0xBF) sign = 's';
            else if (end - s > 1 && s[0] == 0xC4 && (s[1] == 0xB0 || s[1] == 0xB1)) sign = 'i';
            else if (end - s > 2 && s[0] == 0xE2 && s[1] == 0x84 && s[2] == 0xAA) sign = 'k';
            put_sign(g, &g->scratch, sign);
            for (s++; s < end && (*s & 0xC0) == 0x80; s++) {}
        }
    }
}

static int names_navigation(Page *g, const Attributes *a) {
    for (int i = 0; a->n[ROLE] && NAV_ROLES[i]; i++)
        if (is_word(a->s[ROLE], a->n[ROLE], NAV_ROLES[i])) return 1;
    if (a->n[ID] + a->n[CLASS] == 0) return 0;
    g->scratch.n = 0;
    put_names(g, a->s[ID], a->n[ID]);
    put_sign(g, &g->scratch, ' ');
    put_names(g, a->s[CLASS], a->n[CLASS]);
    const char *s = g->scratch.p;
    size_t n = g->scratch.n;
    for (size_t i = 0; i < n; i++) {
        if (i && s[i - 1] != ' ' && s[i - 1] != '_' && s[i - 1] != '-') continue;
        if (memchr("nmstfbp", s[i], 7) == NULL) continue;
        for (int w = 0; NAV_WORDS[w]; w++) {
            size_t length = strlen(NAV_WORDS[w]);
            if (n - i < length || memcmp(s + i, NAV_WORDS[w], length)) continue;
            char after = i + length < n ? s[i + length] : ' ';
            if (after == ' ' || after == '_' || after == '-' || (after >= '0' && after <= '9')) return 1;
            if (after == ODD) g->refused = 1; /* it may be a digit of another script */
        }
    }
    return 0;
}

static int within_part(Node *node) {
    for (Node *above = lxb.parent(node); above != NULL; above = lxb.parent(above))
        if (traits_of(above) & IS_PART) return 1;
    return 0;
}

/* -- blocks of the walk */

static void begin(Page *g, char kind) {
    if (g->nav_until) kind = '!';
    if (!g->open) {
        g->parts.p[g->kind_at] = kind;
        return;
    }
    put_text(g, &g->parts, (const u8 *)" ", 1);
    put(g, &g->parts, "\0\0", 2);
    g->kind_at = g->parts.n;
    put_sign(g, &g->parts, kind);
    put_sign(g, &g->parts, ' ');
    *ADD(g, starts, size_t) = g->kind_at;
    g->open = 0;
}

static void enter_navigation(Page *g, Node *node) {
    g->nav_until = behind(node);
    begin(g, '!');
}

static void label(Page *g, Node *node, int counts) {
    begin(g, 'h');
    if (g->only_text) return;
    int raw = 0;
    for (Node *each = lxb.child(node); each != NULL && !raw; each = onwards(each, node, 1))
        raw = traits_of(each) & IS_RAW;
    gather(g, node, raw, LONG_LABEL);
    Span words = put_words(g, &g->arena, (const u8 *)g->scratch.p, g->scratch.n);
    words.n = first_letters(g->arena.p + words.at, words.n, MAX_ANCHOR);
    g->name = -1;
    if (words.n) {
        Name *name = ADD(g, names, Name);
        name->text = words, name->counts = (u8)counts;
        g->name = (ptrdiff_t)COUNT(g, names, Name) - 1;
    }
}

/* -- paths */

static Known *slot_of(Page *g, Node *key) {
    size_t size = COUNT(g, table, Known);
    size_t at = ((uintptr_t)key >> 4) * (size_t)0x9E3779B97F4A7C15u;
    for (at = (at ^ at >> 29) & (size - 1);; at = (at + 1) & (size - 1)) {
        Known *known = AT(g, table, Known, at);
        if (known->key == key || known->key == NULL) return known;
    }
}

static void resize_paths(Page *g, size_t size) {
    Buf old = g->table;
    g->table = (Buf){calloc(size, sizeof(Known)), size * sizeof(Known), size * sizeof(Known)};
    if (g->table.p == NULL) {
        g->table = old;
        longjmp(g->out, 1);
    }
    for (size_t i = 0; i < old.n / sizeof(Known); i++) {
        Known *each = (Known *)old.p + i;
        if (each->key) *slot_of(g, each->key) = *each;
    }
    free(old.p);
}

static void know_path(Page *g, Node *key, Span path) {
    if (2 * ++g->known > COUNT(g, table, Known)) resize_paths(g, 2 * COUNT(g, table, Known));
    *slot_of(g, key) = (Known){key, path};
}

static void put_step(Page *g, Node *node, const Attributes *a, int is_link) {
    size_t n = 1;
    const u8 *name = is_link ? (const u8 *)"a" : lxb.name(node, &n);
    put(g, &g->arena, name, name ? n : 0);
    if (a->n[ID]) {
        const u8 *s = a->s[ID], *end = s + first_letters((const char *)s, a->n[ID], MAX_STEP);
        put_sign(g, &g->arena, '#');
        while (s < end) {
            size_t spaces = blank_at(s, end);
            if (spaces) s += spaces;
            else put_sign(g, &g->arena, (char)*s++);
        }
    }
    const u8 *s = a->s[CLASS], *end = s + a->n[CLASS];
    size_t spaces;
    while (s < end && (spaces = blank_at(s, end))) s += spaces;
    if (s < end) {
        const u8 *from = s;
        while (s < end && !blank_at(s, end)) s++;
        put_sign(g, &g->arena, '.');
        put(g, &g->arena, from, first_letters((const char *)from, (size_t)(s - from), MAX_STEP));
    }
}

/* Append a copy of what stands in the same buffer. */
static void put_again(Page *g, Buf *b, Span what) {
    room(g, b, what.n);
    memcpy(b->p + b->n, b->p + what.at, what.n);
    b->n += what.n;
}

static Span path_of(Page *g, Node *node, const Attributes *own) {
    Attributes a;
    Span known = {0, 0};
    if (g->only_text) return known;
    g->chain.n = 0;
    for (Node *above = lxb.parent(node); above != NULL && COUNT(g, chain, Node *) < MAX_PATH; above = lxb.parent(above)) {
        Known *slot = slot_of(g, above);
        known = slot->key ? slot->path : (Span){0, 0};
        if (known.n) break;
        if (lxb.parent(above) == NULL) break; /* the document, which `html` keeps links from */
        *ADD(g, chain, Node *) = above;
    }
    for (size_t i = COUNT(g, chain, Node *); i-- > 0;) {
        Node *element = *AT(g, chain, Node *, i);
        Span path = {g->arena.n, 0};
        if (known.n) {
            put_again(g, &g->arena, known);
            put_sign(g, &g->arena, ' ');
        }
        read_attributes(element, &a);
        put_step(g, element, &a, 0);
        path.n = g->arena.n - path.at;
        if (path.n > 2 * MAX_PATH - 1 && blanks(g->arena.p + path.at, path.n) >= MAX_PATH) {
            size_t cut = (size_t)((char *)memchr(g->arena.p + path.at, ' ', path.n) - (g->arena.p + path.at)) + 1;
            path.at += cut, path.n -= cut;
        }
        know_path(g, element, path);
        known = path;
    }
    Span path = {g->arena.n, 0};
    put_again(g, &g->arena, known);
    put_sign(g, &g->arena, ' ');
    put_step(g, node, own, act_of(node) == LINK);
    path.n = g->arena.n - path.at;
    return path;
}

/* -- links of the walk */

static Ref *refer(Page *g, Node *node, const Attributes *a, const u8 *href, size_t n) {
    Ref made = {.name = g->name, .in_nav = g->nav_until != NULL};
    made.href = keep(g, href, n);
    made.path = path_of(g, node, a);
    made.rel = keep(g, a->s[REL], a->n[REL]);
    Ref *ref = ADD(g, refs, Ref);
    *ref = made;
    return ref;
}

static size_t ref_number(Page *g) { return COUNT(g, refs, Ref) - 1; }

/* The anchor from its words and its title. Whether two texts outside ASCII are the same but for case is left to
 * Python: then both are kept. */
static void set_anchor(Page *g, size_t number, const u8 *s, size_t n, Span title) {
    if (g->only_text) return;
    Span words = put_words(g, &g->arena, s, n), extra = {0, 0};
    if (title.n) {
        Span tidy = {g->arena.n, 0};
        /* the title stands in the arena, which may move */
        room(g, &g->arena, title.n + 2);
        tidy = put_words(g, &g->arena, (const u8 *)g->arena.p + title.at, title.n);
        const char *p = g->arena.p;
        int same = tidy.n == words.n && memcmp(p + tidy.at, p + words.at, words.n) == 0;
        if (tidy.n && !same) {
            if (words.n && !(is_ascii(p + tidy.at, tidy.n) && is_ascii(p + words.at, words.n))) {
                extra = tidy;
            } else {
                same = tidy.n == words.n;
                for (size_t i = 0; same && i < words.n; i++)
                    same = lower((u8)p[words.at + i]) == lower((u8)p[tidy.at + i]);
                if (!same && words.n) {
                    Span both = {g->arena.n, words.n + 1 + tidy.n};
                    put_again(g, &g->arena, words);
                    put_sign(g, &g->arena, ' ');
                    put_again(g, &g->arena, tidy);
                    words = both;
                } else if (!same) {
                    words = tidy;
                }
            }
        }
    }
    if (!extra.n) words.n = first_letters(g->arena.p + words.at, words.n, MAX_ANCHOR);
    Ref *ref = AT(g, refs, Ref, number);
    ref->anchor = words, ref->title = extra;
}

static void end_anchor(Page *g) {
    g->anchor_until = NULL;
    if (g->anchor < 0) return;
    size_t number = (size_t)g->anchor;
    Span title = AT(g, refs, Ref, number)->title;
    g->scratch.n = 0;
    const char *s = g->parts.p + g->since, *end = g->parts.p + g->parts.n;
    while (s < end) {
        const char *stop = memchr(s, ' ', (size_t)(end - s));
        if (stop == NULL) stop = end;
        if (stop > s && *s != '\0') {
            put(g, &g->scratch, s, (size_t)(stop - s));
            put_sign(g, &g->scratch, ' ');
        }
        s = stop + 1;
    }
    put(g, &g->scratch, g->alternatives.p, g->alternatives.n);
    set_anchor(g, number, (const u8 *)g->scratch.p, g->scratch.n, title);
    put(g, &g->parts, "\0z", 2);
    g->open = 1;
    g->anchor = -1;
    if (g->holds_blocks) begin(g, '.');
}

static void begin_behind_block(Page *g, Node *node) {
    Node *before;
    if (g->open && (before = lxb.prev(node)) != NULL && (traits_of(before) & IS_BLOCK)) begin(g, '.');
}

/* Whether the text below was taken already. */
static int hyperlink(Page *g, Node *node) {
    Attributes a;
    begin_behind_block(g, node);
    read_attributes(node, &a);
    if (a.s[HREF] == NULL) return 0;
    if (g->anchor >= 0) end_anchor(g);
    Node *child = lxb.child(node);
    int simple = child != NULL && act_of(child) == TEXT && lxb.next(child) == NULL;
    int holds_blocks = 0;
    if (!simple) {
        Node *first = child;
        while (first != NULL && is_empty(first)) first = lxb.next(first);
        holds_blocks = first != NULL && (traits_of(first) & IS_BLOCK);
    }
    if (holds_blocks) begin(g, '.');
    refer(g, node, &a, a.s[HREF], a.n[HREF])->in_text = 1;
    size_t number = ref_number(g);
    Span title = keep(g, a.s[NAMED_TITLE], a.n[NAMED_TITLE]);
    put(g, &g->parts, "\0a", 2);
    if (simple) {
        size_t n;
        const u8 *words = text_of(child, &n);
        put_text(g, &g->parts, words, n);
        put(g, &g->parts, "\0z", 2);
        g->open = 1;
        set_anchor(g, number, words, n, title);
        return 1;
    }
    AT(g, refs, Ref, number)->title = title;
    g->anchor = (ptrdiff_t)number;
    g->since = g->parts.n;
    g->alternatives.n = 0;
    g->holds_blocks = (u8)holds_blocks;
    if (child == NULL) end_anchor(g);
    else g->anchor_until = behind(node);
    return 0;
}

static void image(Page *g, Node *node) {
    Attributes a;
    begin_behind_block(g, node);
    if (g->anchor < 0) return;
    read_attributes(node, &a);
    if (!a.n[ALT]) return;
    put_sign(g, &g->alternatives, ' ');
    put(g, &g->alternatives, a.s[ALT], a.n[ALT]);
}

static void area(Page *g, Node *node) {
    Attributes a;
    read_attributes(node, &a);
    if (a.s[HREF] == NULL) return;
    refer(g, node, &a, a.s[HREF], a.n[HREF]);
    set_anchor(g, ref_number(g), a.s[ALT], a.n[ALT], keep(g, a.s[NAMED_TITLE], a.n[NAMED_TITLE]));
}

static void frame(Page *g, Node *node) {
    Attributes a;
    read_attributes(node, &a);
    if (!a.n[SRC]) return;
    refer(g, node, &a, a.s[SRC], a.n[SRC]);
    set_anchor(g, ref_number(g), a.s[NAMED_TITLE], a.n[NAMED_TITLE], (Span){0, 0});
}

static void meta(Page *g, Node *node) {
    Attributes a, none;
    read_attributes(node, &a);
    int which = a.n[NAME] ? NAME : a.n[PROPERTY] ? PROPERTY : HTTP_EQUIV;
    if (!a.n[which] || !a.n[CONTENT]) return;
    ptrdiff_t slot = -1;
    g->scratch.n = 0;
    Span name = put_words(g, &g->scratch, a.s[which], a.n[which]);
    if (is_word((const u8 *)g->scratch.p + name.at, name.n, "refresh")) {
        memset(&none, 0, sizeof none);
        none.s[REL] = (const u8 *)"refresh", none.n[REL] = 7;
        refer(g, node, &none, a.s[CONTENT], a.n[CONTENT]);
        slot = (ptrdiff_t)ref_number(g);
    }
    Meta made = {keep(g, a.s[which], a.n[which]), keep(g, a.s[CONTENT], a.n[CONTENT]), slot};
    *ADD(g, metas, Meta) = made;
}

static void relation(Page *g, Node *node) {
    Attributes a;
    read_attributes(node, &a);
    if (!a.n[HREF] || !a.n[REL]) return;
    const u8 *s = a.s[REL];
    size_t n = a.n[REL];
    if (has_word(s, n, "canonical") || has_word(s, n, "alternate") || has_word(s, n, "license")) {
        Relation made = {keep(g, a.s[HREF], a.n[HREF]), keep(g, s, n), keep(g, a.s[TYPE], a.n[TYPE]),
                         keep(g, a.s[HREFLANG], a.n[HREFLANG])};
        *ADD(g, relations, Relation) = made;
    }
    if (has_word(s, n, "next") || has_word(s, n, "prev")) refer(g, node, &a, a.s[HREF], a.n[HREF])->in_nav = 1;
}

static void html(Page *g, Node *node) {
    Attributes a;
    read_attributes(node, &a);
    Span path = {g->arena.n, 0};
    put_step(g, node, &a, 0);
    path.n = g->arena.n - path.at;
    know_path(g, node, path);
    int which = a.n[LANG] ? LANG : XML_LANG;
    g->language = keep(g, a.s[which], a.n[which]);
}

/* -- the walk */

/* What an element does; whether the walk goes on into it. */
static int enter(Page *g, Node *node, unsigned act) {
    Attributes a;
    switch (act) {
    case BLOCK_ACT:
        begin(g, '.');
        return 1;
    case LANDMARK:
        if (g->nav_until || ((traits_of(node) & IS_HEADER) && within_part(node))) begin(g, '.');
        else enter_navigation(g, node);
        return 1;
    case CONTAINER:
        if (!g->nav_until) {
            read_attributes(node, &a);
            if (names_navigation(g, &a)) {
                enter_navigation(g, node);
                return 1;
            }
        }
        begin(g, '.');
        return 1;
    case HEADING:
    case LABEL:
        label(g, node, act == HEADING);
        return 1;
    case LINK:
        return !hyperlink(g, node);
    case AREA:
        area(g, node);
        return 1;
    case IMAGE:
        image(g, node);
        return 1;
    case FRAME:
        frame(g, node);
        return 0;
    case HTML:
        html(g, node);
        return 1;
    case TITLE:
        if (!g->title.n) {
            gather(g, node, 0, 0);
            g->title = put_words(g, &g->arena, (const u8 *)g->scratch.p, g->scratch.n);
        }
        return 0;
    case BASE:
        if (!g->base.n) {
            read_attributes(node, &a);
            g->base = keep(g, a.s[HREF], a.n[HREF]);
        }
        return 1;
    case META:
        meta(g, node);
        return 1;
    case RELATION:
        relation(g, node);
        return 1;
    default:
        return 0;
    }
}

static void write_text(Page *g, Node *node) {
    if (g->open || !is_empty(node)) {
        size_t n;
        const u8 *s = text_of(node, &n);
        put_text(g, &g->parts, s, n);
        g->open = 1;
    } else if (g->anchor >= 0) {
        put_text(g, &g->parts, (const u8 *)" ", 1);
    }
}

static void walk(Page *g, Node *root) {
    int into = 1;
    put(g, &g->parts, " \0\0. ", 5);
    g->kind_at = 3;
    *ADD(g, starts, size_t) = 3;
    for (Node *node = root; node != NULL; node = onwards(node, root, into)) {
        if (node == g->anchor_until) end_anchor(g);
        if (node == g->nav_until) {
            g->nav_until = NULL;
            begin(g, '.');
        }
        unsigned act = act_of(node);
        into = 1;
        if (act != TEXT && act != BREAK && act != NO_ACT) {
            into = enter(g, node, act);
            continue;
        }
        begin_behind_block(g, node);
        if (act == TEXT) write_text(g, node);
        else if (act == BREAK) put_text(g, &g->parts, (const u8 *)" ", 1);
    }
    if (g->anchor >= 0) end_anchor(g);
}

/* -- blocks: lines, contexts */

/* Scripts without blanks between words are left to Python; a letter too many here costs only time. */
static int is_spaceless(const char *s, size_t n) {
    const u8 *p = (const u8 *)s, *end = p + n;
    while (p < end) {
        u8 c = *p;
        if (c < 0xE0) {
            p++;
        } else if (c < 0xF0) {
            if (end - p < 3) return 1;
            unsigned sign = (unsigned)(c & 15) << 12 | (unsigned)(p[1] & 63) << 6 | (p[2] & 63);
            if ((sign >= 0xE00 && sign <= 0xEFF) || (sign >= 0x1000 && sign <= 0x109F) ||
                (sign >= 0x1780 && sign <= 0x17FF) || (sign >= 0x2E80 && sign <= 0x9FFF) ||
                (sign >= 0xF900 && sign <= 0xFAFF) || (sign >= 0xFF66 && sign <= 0xFF9F))
                return 1;
            p += 3;
        } else {
            if (end - p < 4) return 1;
            unsigned sign = (unsigned)(c & 7) << 18 | (unsigned)(p[1] & 63) << 12 | (unsigned)(p[2] & 63) << 6 | (p[3] & 63);
            if ((sign >= 0x1B000 && sign <= 0x1B16F) || sign >= 0x20000) return 1;
            p += 4;
        }
    }
    return 0;
}

static const char *mark(const char *s, const char *end, char kind) {
    while (s + 1 < end && (s = memchr(s, 0, (size_t)(end - s - 1))) != NULL) {
        if (s[1] == kind) return s;
        s++;
    }
    return NULL;
}

static Span tidied(Page *g, Buf *b, const char *s, size_t n) { return put_words(g, b, (const u8 *)s, n); }

/* The link clean[start:end] with up to WINDOW words on either side; as `_around` of blocks.py. */
static Span around(Page *g, const char *s, size_t n, size_t start, size_t end) {
    if (g->only_text) return (Span){0, 0};
    g->scratch.n = 0;
    size_t reach = last_letters(s, start, REACH);
    const char *from = s + start - reach, *to = s + start, *at = to, *word = NULL, *second = NULL;
    unsigned words = 0;
    while (at > from) {
        while (at > from && at[-1] == ' ') at--;
        if (at == from) break;
        if (words == WINDOW) {
            words++;
            break;
        }
        while (at > from && at[-1] != ' ') at--;
        second = word, word = at, words++;
    }
    if (words <= WINDOW && words && reach < start) word = second, words--;
    if (word != NULL && words) {
        put(g, &g->scratch, word, (size_t)(to - word));
        while (g->scratch.n && g->scratch.p[g->scratch.n - 1] == ' ') g->scratch.n--;
        if (to[-1] == ' ') put_sign(g, &g->scratch, ' ');
    }
    put(g, &g->scratch, s + start, first_letters(s + start, end - start, MAX_LINK));
    from = s + end, to = from + first_letters(from, n - end, REACH), at = from;
    const char *stop = from, *earlier = from;
    words = 0;
    while (at < to) {
        while (at < to && *at == ' ') at++;
        if (at == to) break;
        if (words == WINDOW) {
            words++;
            break;
        }
        while (at < to && *at != ' ') at++;
        earlier = stop, stop = at, words++;
    }
    if (words && words <= WINDOW && to < s + n) stop = earlier;
    put(g, &g->scratch, from, (size_t)(stop - from));
    return tidied(g, &g->arena, g->scratch.p, g->scratch.n);
}

static Span between(Page *g, const char *s, size_t n, size_t start, size_t end) {
    if (g->only_text) return (Span){0, 0};
    if (blanks(s, n) <= WINDOW) return tidied(g, &g->arena, s, n);
    if (letters(s, start) > REACH || letters(s + end, n - end) > REACH || letters(s + start, end - start) > MAX_LINK)
        return around(g, s, n, start, end);
    const char *from = s + start, *to = s + end, *last = s + n;
    for (unsigned words = 0; from > s; words++) {
        const char *at = from;
        while (at > s && at[-1] == ' ') at--;
        if (at == s || words == WINDOW) break;
        while (at > s && at[-1] != ' ') at--;
        from = at;
    }
    for (unsigned words = 0; to < last; words++) {
        const char *at = to;
        while (at < last && *at == ' ') at++;
        if (at == last || words == WINDOW) break;
        while (at < last && *at != ' ') at++;
        to = at;
    }
    return tidied(g, &g->arena, from, (size_t)(to - from));
}

static void add_place(Page *g, Span context, size_t place) {
    Place made = {context, place, 0};
    *ADD(g, places, Place) = made;
}

/* A block with several links, or with blanks that links leave behind. */
static void several(Page *g, Line *line, const char *s, size_t n) {
    const char *end = s + n, *from = mark(s, end, 'a');
    size_t since = COUNT(g, places, Place), at = 0, place = 0;
    g->clean.n = 0;
    put(g, &g->clean, s, from ? (size_t)(from - s) : n);
    while (from) {
        place += letters(g->clean.p + at, g->clean.n - at), at = g->clean.n;
        const char *next = mark(from + 2, end, 'a'), *stop = next ? next : end, *close = mark(from + 2, stop, 'z');
        const char *inside = close ? close : stop;
        size_t length = (size_t)(inside - from - 2);
        /* the context is made when all of the block is known: until then its span says where the link stands */
        add_place(g, (Span){g->clean.n, length}, place);
        line->linked += letters(from + 2, length);
        put(g, &g->clean, from + 2, length);
        if (close) put(g, &g->clean, close + 2, (size_t)(stop - close - 2));
        from = next;
    }
    const char *clean = g->clean.p;
    line->text = tidied(g, &g->text, clean, g->clean.n);
    int moved = line->text.n != g->clean.n, near = blanks(clean, g->clean.n) <= WINDOW;
    Span whole = near ? keep(g, (const u8 *)g->text.p + line->text.at, line->text.n) : (Span){0, 0};
    size_t gone = 0, blank = 1;
    at = 0;
    for (size_t i = since; i < COUNT(g, places, Place); i++) {
        Span link = AT(g, places, Place, i)->context;
        for (; at < link.at; at++) {
            gone += blank && clean[at] == ' ';
            blank = clean[at] == ' ';
        }
        Span context = near ? whole : around(g, clean, g->clean.n, link.at, link.at + link.n);
        AT(g, places, Place, i)->context = context;
        if (moved) AT(g, places, Place, i)->place -= gone;
    }
}

static void write_line(Page *g, Line *line, const char *s, size_t n) {
    while (n && *s == ' ') s++, n--;
    while (n && s[n - 1] == ' ') n--;
    const char *end = s + n, *from = mark(s, end, 'a'), *stray = mark(s, from ? from : end, 'z');
    int cut = 0;
    if (stray) { /* the end of a link that began in another block */
        const char *at = s;
        g->clean.n = 0;
        for (; stray; stray = mark(at, from ? from : end, 'z')) {
            put(g, &g->clean, at, (size_t)(stray - at));
            at = stray + 2;
        }
        put(g, &g->clean, at, (size_t)(end - at));
        g->block.n = 0;
        put(g, &g->block, g->clean.p, g->clean.n);
        n = g->block.n, cut = 1;
        s = g->block.p, end = s + n, from = mark(s, end, 'a');
    }
    if (from == NULL) {
        line->text = tidied(g, &g->text, s, n);
        return;
    }
    if (!cut && from == s && n > 3 && memchr(s + 1, 0, n - 1) == end - 2) {
        line->text = tidied(g, &g->text, s + 2, n - 4);
        line->linked = letters(g->text.p + line->text.at, line->text.n);
        add_place(g, keep(g, (const u8 *)g->text.p + line->text.at, line->text.n), 0);
        return;
    }
    const char *close = mark(from + 2, end, 'z'), *stop = close ? close : end;
    if (mark(from + 2, end, 'a') == NULL) {
        g->clean.n = 0;
        put(g, &g->clean, s, (size_t)(from - s));
        size_t start = g->clean.n;
        put(g, &g->clean, from + 2, (size_t)(stop - from - 2));
        size_t till = g->clean.n;
        if (close) put(g, &g->clean, close + 2, (size_t)(end - close - 2));
        const char *clean = g->clean.p;
        size_t length = g->clean.n;
        line->text = tidied(g, &g->text, clean, length);
        if (length && line->text.n == length) {
            line->linked = letters(clean + start, till - start);
            add_place(g, between(g, clean, length, start, till), letters(clean, start));
            return;
        }
        g->text.n = line->text.at;
    }
    several(g, line, s, n);
}

static void blocks(Page *g) {
    size_t count = COUNT(g, starts, size_t), all = 0, linked = 0;
    for (size_t i = 0; i < count; i++) {
        size_t from = *AT(g, starts, size_t, i);
        size_t to = i + 1 < count ? *AT(g, starts, size_t, i + 1) - 3 : g->parts.n;
        if (to <= from + 2) continue;
        Line line = {.kind = (u8)g->parts.p[from], .first = COUNT(g, places, Place)};
        size_t before = g->text.n;
        if (before) put_sign(g, &g->text, '\n');
        write_line(g, &line, g->parts.p + from + 1, to - from - 1);
        if (line.text.n == 0) g->text.n = before;
        line.places = COUNT(g, places, Place) - line.first;
        line.letters = letters(g->text.p + line.text.at, line.text.n);
        all += line.letters, linked += line.linked;
        *ADD(g, lines, Line) = line;
    }
    int dense = 2 * linked > all;
    size_t at = 0;
    for (size_t i = 0; i < COUNT(g, lines, Line); i++) {
        Line *line = AT(g, lines, Line, i);
        line->in_nav = line->kind == '!' || (!dense && line->kind != 'h' && 2 * line->linked > line->letters);
        int is_short = !dense && line->kind != 'h' && blanks(g->text.p + line->text.at, line->text.n) < MIN_WORDS - 1;
        line->kind = line->in_nav || is_short;
        for (size_t j = line->first; j < line->first + line->places; j++) {
            Place *place = AT(g, places, Place, j);
            place->place += at, place->boilerplate = line->kind;
        }
        if (line->text.n) at += line->letters + 1;
    }
}

/* -- words */

static uint64_t seed; /* of each process, so that nobody can write words that meet in one slot */

/* Behind the letters stand seven bytes that may be read, too. */
static uint64_t hash_of(const u8 *s, size_t n) {
    static const u8 all_then_none[16] = {255, 255, 255, 255, 255, 255, 255, 255};
    uint64_t hash = seed + n, some, those = ~(uint64_t)0;
    for (; n; n -= n < 8 ? n : 8, s += 8) {
        memcpy(&some, s, sizeof some);
        if (n < 8) memcpy(&those, all_then_none + 8 - n, sizeof those);
        hash = (hash ^ (some & those)) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
    }
    return hash ^ hash >> 32;
}

/* Whether two words of one length and one hash are the same: of up to eight letters the hash loses nothing. */
static int are_same(const void *one, const void *other, size_t n) { return n <= 8 || memcmp(one, other, n) == 0; }

/* Have so many slots, a power of two: more would cost a page of few words as much as its words do. */
static void spread_words(Page *g, size_t size) {
    g->slots.n = 0;
    uint32_t *slots = memset(room(g, &g->slots, size * sizeof *slots), 0, size * sizeof *slots);
    g->slots.n = size * sizeof *slots;
    for (size_t i = 0; i < COUNT(g, words, Word); i++) {
        size_t at = AT(g, words, Word, i)->hash & (size - 1);
        while (slots[at]) at = (at + 1) & (size - 1);
        slots[at] = (uint32_t)i + 1;
    }
}

static void count_word(Page *g, Span word) {
    const u8 *s = (const u8 *)g->scratch.p + word.at;
    uint64_t hash = hash_of(s, word.n);
    size_t size = g->slots.n / sizeof(uint32_t);
    uint32_t *slots = (uint32_t *)g->slots.p;
    for (size_t at = hash & (size - 1);; at = (at + 1) & (size - 1)) {
        if (slots[at] == 0) {
            Word made = {word, 1, hash};
            *ADD(g, words, Word) = made;
            slots[at] = (uint32_t)COUNT(g, words, Word);
            if (2 * COUNT(g, words, Word) > size) spread_words(g, 2 * size);
            return;
        }
        Word *known = AT(g, words, Word, slots[at] - 1);
        if (known->hash == hash && known->word.n == word.n && are_same(g->scratch.p + known->word.at, s, word.n)) {
            known->count++;
            return;
        }
    }
}

static u8 small[128]; /* letters and digits of ASCII in lower case, and a blank for all else */

static void know_letters(void) {
    for (int c = 0; c < 128; c++)
        small[c] = (u8)((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? c : c >= 'A' && c <= 'Z' ? c + 32 : ' ');
}

/* A text in lower case with blanks for what parts words, in `scratch`; 0 if a sign is not among those known. */
static int fold(Page *g, const char *s, size_t n, const uint16_t *signs) {
    u8 *to = room(g, &g->scratch, n + n / 2 + 8); /* seven more than may be written, see `hash_of` */
    const u8 *p = (const u8 *)s, *end = p + n;
    while (p < end) {
        u8 c = *p;
        if (c < 0x80) {
            *to++ = small[c];
            p++;
            continue;
        }
        unsigned sign = SIGNS;
        if (c < 0xE0 && end - p > 1) sign = (unsigned)(c & 31) << 6 | (p[1] & 63), p += 2;
        else if (c < 0xF0 && end - p > 2) sign = (unsigned)(c & 15) << 12 | (unsigned)(p[1] & 63) << 6 | (p[2] & 63), p += 3;
        if (sign >= SIGNS || signs[sign] == 0) return 0;
        sign = signs[sign];
        if (sign < 0x80) {
            *to++ = (u8)sign;
        } else if (sign < 0x800) {
            *to++ = (u8)(0xC0 | sign >> 6), *to++ = (u8)(0x80 | (sign & 63));
        } else {
            *to++ = (u8)(0xE0 | sign >> 12), *to++ = (u8)(0x80 | (sign >> 6 & 63)), *to++ = (u8)(0x80 | (sign & 63));
        }
    }
    *to++ = ' ';
    g->scratch.n = (size_t)(to - (u8 *)g->scratch.p);
    return 1;
}

static void count_words(Page *g, const uint16_t *signs) {
    g->scratch.n = 0;
    g->uncounted = !fold(g, g->arena.p + g->title.at, g->title.n, signs) || !fold(g, g->text.p, g->text.n, signs);
    if (g->uncounted) return;
    spread_words(g, FEW_SLOTS);
    const char *s = g->scratch.p;
    for (size_t at = 0, n = g->scratch.n; at < n; at++) {
        size_t from = at;
        while (s[at] != ' ') at++; /* the text ends with one */
        Span word = {from, at - from};
        if (word.n) count_word(g, word);
    }
}

/* -- all of it */

static int make(Page *g, const u8 *s, size_t n, const uint16_t *signs) {
    if (setjmp(g->out)) return 0;
    g->anchor = g->name = -1, g->only_text = signs == NULL;
    g->tree = lxb.create();
    if (g->tree == NULL) return 0;
    if (lxb.parse(g->tree, s, n) != 0) {
        g->refused = 1;
        return 1;
    }
    Node *root = lxb.root(g->tree);
    if (root == NULL || act_of(root) != HTML) {
        g->refused = 1;
        return 1;
    }
    resize_paths(g, 128);
    room(g, &g->arena, n / 2 + 64), room(g, &g->parts, n / 2 + 64), room(g, &g->text, n / 2 + 64);
    room(g, &g->scratch, 64), room(g, &g->clean, 64), room(g, &g->alternatives, 64);
    walk(g, root);
    lxb.destroy(g->tree);
    g->tree = NULL;
    if (g->wide && is_spaceless(g->parts.p, g->parts.n)) {
        g->uncounted = 1;
        return 1;
    }
    blocks(g);
    if (signs != NULL) count_words(g, signs);
    return 1;
}

static void clear(Page *g) {
    Buf *each[] = {&g->parts, &g->arena, &g->text, &g->scratch, &g->clean, &g->starts, &g->refs, &g->names, &g->metas,
                   &g->relations, &g->lines, &g->places, &g->words, &g->chain, &g->slots, &g->table, &g->block, &g->alternatives,
                   &g->boxes, &g->runs};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) free(each[i]->p);
    if (g->tree) lxb.destroy(g->tree);
    free(g);
}

/* -- objects */

static PyObject *string(const char *s, size_t n) { return PyUnicode_DecodeUTF8(s ? s : "", (Py_ssize_t)n, "replace"); }
static PyObject *kept(Page *g, Span span) { return string(g->arena.p + span.at, span.n); }

static PyObject *shared(PyObject *object) {
    Py_XINCREF(object);
    return object;
}

/* A tuple of objects that are given away; NULL if one of them could not be made. */
static PyObject *tuple_of(Py_ssize_t n, PyObject **items) {
    PyObject *made = PyTuple_New(n);
    for (Py_ssize_t i = 0; i < n; i++) {
        if (items[i] == NULL || made == NULL) {
            Py_XDECREF(items[i]);
            Py_CLEAR(made);
            for (Py_ssize_t j = i + 1; j < n; j++) Py_XDECREF(items[j]);
            return NULL;
        }
    }
    if (made == NULL) return NULL;
    for (Py_ssize_t i = 0; i < n; i++) PyTuple_SetItem(made, i, items[i]);
    return made;
}

typedef PyObject *(*Maker)(Page *, size_t, void *);

static PyObject *list_of(Page *g, size_t n, Maker item, void *with) {
    PyObject *made = PyList_New((Py_ssize_t)n);
    for (size_t i = 0; made != NULL && i < n; i++) {
        PyObject *each = item(g, i, with);
        if (each == NULL) Py_CLEAR(made);
        else PyList_SetItem(made, (Py_ssize_t)i, each);
    }
    return made;
}

static PyObject *name_object(Page *g, size_t i, void *with) {
    (void)with;
    return kept(g, AT(g, names, Name, i)->text);
}

static PyObject *meta_object(Page *g, size_t i, void *with) {
    (void)with;
    Meta *meta = AT(g, metas, Meta, i);
    PyObject *items[] = {kept(g, meta->name), kept(g, meta->content), PyLong_FromSsize_t(meta->slot)};
    return tuple_of(3, items);
}

static PyObject *relation_object(Page *g, size_t i, void *with) {
    (void)with;
    Relation *each = AT(g, relations, Relation, i);
    PyObject *items[] = {kept(g, each->href), kept(g, each->rel), kept(g, each->type), kept(g, each->tongue)};
    return tuple_of(4, items);
}

/* Of the lines of the text whether they are content; and the numbers of those in navigation. */
static PyObject *line_objects(Page *g, int numbers) {
    PyObject *found = PyList_New(0);
    Py_ssize_t number = 0;
    for (size_t i = 0; found != NULL && i < COUNT(g, lines, Line); i++) {
        Line *line = AT(g, lines, Line, i);
        if (line->text.n == 0) continue;
        if (!numbers || line->in_nav) {
            PyObject *item = numbers ? PyLong_FromSsize_t(number) : PyBool_FromLong(!line->kind);
            if (item == NULL || PyList_Append(found, item) < 0) Py_CLEAR(found);
            Py_XDECREF(item);
        }
        number++;
    }
    PyObject *made = found ? PyList_AsTuple(found) : NULL;
    Py_XDECREF(found);
    return made;
}

/* What is known of the words that were met: term and fingerprint of each, one cache line a word. It belongs to one
 * `memory` and one `hash`, which make the terms and their hashes; a word of others, or one too many, empties it. Held
 * and changed with the GIL only, and looked up anew after each call to Python. */
enum { WORD_ROOM = 36, FIRST_SLOTS = 1 << 10, MOST_SLOTS = 1 << 16 };
typedef struct { uint64_t hash, bits; PyObject *term; uint32_t n; u8 word[WORD_ROOM]; } Met;
static struct { Met *slots; size_t size, used; PyObject *memory, *hash; } lexicon;

/* The slot of a word, or the free one that it may have; there is always a free one. */
static Met *slot_for(Met *slots, size_t size, uint64_t hash, const u8 *s, size_t n) {
    for (size_t at = hash & (size - 1);; at = (at + 1) & (size - 1)) {
        Met *met = slots + at;
        if (met->term == NULL || (met->hash == hash && met->n == n && are_same(met->word, s, n))) return met;
    }
}

static void forget_words(void) {
    Met *slots = lexicon.slots;
    size_t size = lexicon.size;
    lexicon.slots = NULL, lexicon.size = lexicon.used = 0;
    for (size_t i = 0; i < size; i++) Py_XDECREF(slots[i].term);
    free(slots);
}

/* Have room for one more word; 0 if there is no memory for it. */
static int make_room(void) {
    if (lexicon.size && lexicon.used < lexicon.size / 4 * 3) return 1;
    if (lexicon.size >= MOST_SLOTS) forget_words();
    size_t size = lexicon.size ? lexicon.size * 2 : FIRST_SLOTS;
    Met *slots = calloc(size, sizeof *slots);
    if (slots == NULL) return 0;
    for (size_t i = 0; i < lexicon.size; i++) {
        Met *met = lexicon.slots + i;
        if (met->term) *slot_for(slots, size, met->hash, met->word, met->n) = *met;
    }
    free(lexicon.slots);
    lexicon.slots = slots, lexicon.size = size;
    return 1;
}

/* Keep what a word means, unless it is too long or known by now. */
static void meet(uint64_t hash, const u8 *s, size_t n, PyObject *term, uint64_t bits) {
    if (n > WORD_ROOM || !make_room()) return;
    Met *met = slot_for(lexicon.slots, lexicon.size, hash, s, n);
    if (met->term) return;
    met->hash = hash, met->bits = bits, met->n = (uint32_t)n, met->term = shared(term);
    memcpy(met->word, s, n);
    lexicon.used++;
}

/* The term of a word, as a reference of its own, and its hash; "" for a word that is left out. NULL with an error. */
static PyObject *term_of(Page *g, const Word *each, PyObject *memory, PyObject *hash_term, uint64_t *bits) {
    const u8 *s = (const u8 *)g->scratch.p + each->word.at;
    size_t n = each->word.n;
    uint64_t hash = each->hash;
    if (lexicon.size && n <= WORD_ROOM) {
        Met *met = slot_for(lexicon.slots, lexicon.size, hash, s, n);
        if (met->term) {
            *bits = met->bits;
            return shared(met->term);
        }
    }
    PyObject *word = string((const char *)s, n), *term = word ? PyObject_GetItem(memory, word) : NULL;
    Py_XDECREF(word);
    if (term == NULL) return NULL;
    PyObject *hashed = PyObject_CallFunctionObjArgs(hash_term, term, NULL);
    *bits = hashed ? PyLong_AsUnsignedLongLong(hashed) : 0;
    Py_XDECREF(hashed);
    if (PyErr_Occurred()) {
        Py_DECREF(term);
        return NULL;
    }
    if (memory == lexicon.memory && hash_term == lexicon.hash) meet(hash, s, n, term, *bits);
    return term;
}

static void use_lexicon_of(PyObject *memory, PyObject *hash_term) {
    if (memory == lexicon.memory && hash_term == lexicon.hash) return;
    PyObject *before = lexicon.memory, *hash = lexicon.hash;
    lexicon.memory = shared(memory), lexicon.hash = shared(hash_term);
    forget_words();
    Py_XDECREF(before);
    Py_XDECREF(hash);
}

/* How much the terms weigh whose hash has a bit, for each of 64, and all together. Eight bits are counted at once, in
 * the bytes of a word, and added to the rest before one could be full. */
enum { FULL = 255 };
typedef struct { uint64_t some[8], bits[64], all, since; } Weights;
static uint64_t bits_apart[256]; /* the bits of a byte, each in a byte of its own */

static void know_bits(void) {
    for (int byte = 0; byte < 256; byte++)
        for (int i = 0; i < 8; i++) bits_apart[byte] |= (uint64_t)(byte >> i & 1) << 8 * i;
}

static void add_up(Weights *w) {
    for (int i = 0; i < 64; i++) w->bits[i] += w->some[i / 8] >> 8 * (i % 8) & 255;
    memset(w->some, 0, sizeof w->some);
    w->since = 0;
}

static void weigh(Weights *w, uint64_t bits, uint64_t weight) {
    w->all += weight;
    if (weight > FULL) {
        for (int i = 0; i < 64; i++) w->bits[i] += (bits >> i & 1) * weight;
        return;
    }
    if (w->since + weight > FULL) add_up(w);
    w->since += weight;
    for (int i = 0; i < 8; i++) w->some[i] += bits_apart[bits >> 8 * i & 255] * weight;
}

/* Bit i is set if the terms whose hash has it outweigh the others. */
static PyObject *fingerprint_of(Weights *w) {
    uint64_t found = 0;
    add_up(w);
    for (int i = 0; i < 64; i++) found |= (uint64_t)(w->bits[i] > w->all - w->bits[i]) << i;
    return PyLong_FromUnsignedLongLong(found);
}

/* The terms of the words, which `memory` knows or learns, and how often each occurs; "" for words left out. */
static PyObject *term_objects(Page *g, PyObject *memory, PyObject *hash_term, Weights *weights) {
    PyObject *made = PyDict_New();
    use_lexicon_of(memory, hash_term);
    for (size_t i = 0; made != NULL && i < COUNT(g, words, Word); i++) {
        Word *each = AT(g, words, Word, i);
        uint64_t bits = 0;
        PyObject *number = NULL;
        PyObject *term = term_of(g, each, memory, hash_term, &bits);
        if (term) {
            PyObject *known = PyDict_GetItemWithError(made, term);
            if (known || !PyErr_Occurred()) number = PyLong_FromSize_t(each->count + (known ? PyLong_AsSize_t(known) : 0));
            if (PyUnicode_GetLength(term)) weigh(weights, bits, each->count);
        }
        if (number == NULL || PyDict_SetItem(made, term, number) < 0) Py_CLEAR(made);
        Py_XDECREF(number);
        Py_XDECREF(term);
    }
    return made;
}

typedef struct {
    PyObject *names, *anchor_text, *empty, *context, *path;
    Span last, way;
    size_t place;
} Making;

static PyObject *anchor_object(Page *g, Ref *ref, Making *m) {
    if (!ref->title.n) return ref->anchor.n ? kept(g, ref->anchor) : shared(m->empty);
    PyObject *words = kept(g, ref->anchor), *title = kept(g, ref->title);
    PyObject *made = words && title ? PyObject_CallFunctionObjArgs(m->anchor_text, words, title, NULL) : NULL;
    Py_XDECREF(words);
    Py_XDECREF(title);
    return made;
}

/* Links of a list stand at one path, so that of the link before is used again. */
static PyObject *path_object(Page *g, Span path, Making *m) {
    const char *s = g->arena.p;
    if (m->path == NULL || path.n != m->way.n || memcmp(s + path.at, s + m->way.at, path.n)) {
        Py_XDECREF(m->path);
        m->path = kept(g, path);
        m->way = path;
    }
    return shared(m->path);
}

/* href, anchor, heading, path, rel, in navigation or boilerplate, context, place */
static PyObject *ref_object(Page *g, size_t i, void *with) {
    Making *m = with;
    Ref *ref = AT(g, refs, Ref, i);
    PyObject *context = m->empty;
    Py_ssize_t at = -1;
    int in_nav = ref->in_nav;
    if (ref->in_text && m->place < COUNT(g, places, Place)) {
        Place *place = AT(g, places, Place, m->place++);
        if (m->context == NULL || place->context.at != m->last.at || place->context.n != m->last.n) {
            Py_XDECREF(m->context);
            m->context = kept(g, place->context);
            m->last = place->context;
        }
        context = m->context;
        in_nav |= place->boilerplate;
        at = (Py_ssize_t)place->place;
    } else if (ref->in_text) {
        at = -2;
    }
    PyObject *name = ref->name < 0 ? m->empty : PyList_GetItem(m->names, (Py_ssize_t)ref->name);
    PyObject *items[] = {kept(g, ref->href), anchor_object(g, ref, m), shared(name), path_object(g, ref->path, m),
                         ref->rel.n ? kept(g, ref->rel) : shared(m->empty), PyBool_FromLong(in_nav), shared(context),
                         PyLong_FromSsize_t(at)};
    return tuple_of(8, items);
}

static PyObject *heading_objects(Page *g, PyObject *names) {
    PyObject *made = PyList_New(0);
    for (size_t i = 0; made != NULL && i < COUNT(g, names, Name); i++)
        if (AT(g, names, Name, i)->counts && PyList_Append(made, PyList_GetItem(names, (Py_ssize_t)i)) < 0)
            Py_CLEAR(made);
    return made;
}

static PyObject *objects(Page *g, PyObject *anchor_text, PyObject *memory, PyObject *hash_term) {
    Weights weights = {.all = 0};
    int unplaced = COUNT(g, lines, Line) == 0 && g->uncounted;
    Making m = {.names = list_of(g, COUNT(g, names, Name), name_object, NULL), .anchor_text = anchor_text,
                .empty = string("", 0)};
    PyObject *made = NULL;
    if (m.names != NULL && m.empty != NULL) {
        PyObject *items[] = {
            kept(g, g->title),
            heading_objects(g, m.names),
            kept(g, g->base),
            kept(g, g->language),
            list_of(g, COUNT(g, metas, Meta), meta_object, NULL),
            list_of(g, COUNT(g, relations, Relation), relation_object, NULL),
            list_of(g, COUNT(g, refs, Ref), ref_object, &m),
            string(g->text.p, g->text.n),
            line_objects(g, 0),
            line_objects(g, 1),
            g->uncounted ? shared(Py_None) : term_objects(g, memory, hash_term, &weights),
            g->uncounted ? shared(Py_None) : fingerprint_of(&weights),
            unplaced ? string(g->parts.p, g->parts.n) : shared(Py_None),
        };
        made = tuple_of(sizeof items / sizeof *items, items);
    }
    Py_XDECREF(m.names);
    Py_XDECREF(m.empty);
    Py_XDECREF(m.context);
    Py_XDECREF(m.path);
    return made;
}

/* The pass over a page; NULL with an error, or without one if the page is left to Python. Without `signs`, no words are
 * counted. */
static Page *passed(PyObject *source, const uint16_t *signs) {
    Py_ssize_t n;
    const char *s = PyUnicode_AsUTF8AndSize(source, &n);
    if (s == NULL) {
        PyErr_Clear(); /* lone surrogates */
        return NULL;
    }
    Page *g = calloc(1, sizeof *g);
    if (g == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    int done, kept;
    Py_BEGIN_ALLOW_THREADS
    done = make(g, (const u8 *)s, (size_t)n, signs);
    kept = done && !g->refused;
    if (!kept) clear(g);
    Py_END_ALLOW_THREADS
    if (!done) PyErr_NoMemory();
    return kept ? g : NULL;
}

static PyObject *told(Page *g, PyObject *made) {
    Py_BEGIN_ALLOW_THREADS
    clear(g);
    Py_END_ALLOW_THREADS
    return made;
}

static int is_bound(void) {
    if (text_at == 0) PyErr_SetString(PyExc_ValueError, "not bound to a parser");
    return text_at != 0;
}

static PyObject *read_page(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *source, *anchor_text, *memory, *hash_term;
    const char *signs;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "Uy#OO!O", &source, &signs, &size, &anchor_text, &PyDict_Type, &memory, &hash_term) ||
        !is_bound())
        return NULL;
    if (size != SIGNS * (Py_ssize_t)sizeof(uint16_t)) {
        PyErr_SetString(PyExc_ValueError, "a table of another size");
        return NULL;
    }
    Page *g = passed(source, (const uint16_t *)signs);
    if (g == NULL) return PyErr_Occurred() ? NULL : shared(Py_None);
    return told(g, objects(g, anchor_text, memory, hash_term));
}

static PyObject *page_text(PyObject *module, PyObject *source) {
    (void)module;
    if (!PyUnicode_Check(source)) {
        PyErr_SetString(PyExc_TypeError, "markup is a string");
        return NULL;
    }
    Page *g = is_bound() ? passed(source, NULL) : NULL;
    if (g == NULL) return PyErr_Occurred() ? NULL : shared(Py_None);
    return told(g, g->uncounted ? shared(Py_None) : string(g->text.p, g->text.n));
}

/* -- the main text: boxes, and what is chosen among them, as `lycosa.read.boxes` has it */

enum { IS_BOX = 1, IS_UNSHOWN = 2, IS_STYLE = 4, IS_LINK = 8, IS_BREAK = 16, IS_TEXT = 32, IS_BARE = 64, IS_HEADING = 128,
       IS_PREFORMATTED = 256, IS_IN_BLOCKS = 512, IS_LISTED = 1024, IS_TOP = 2048, IS_LANDMARK = 4096, IS_ROW = 8192,
       TOLD_AT = 14 };
enum hint { NO_HINT, CONTENT_HINT, NAVIGATION_HINT, FOOT_HINT, SIDE_HINT };
enum rule { ALL, NO_NAVIGATION, UNCUT, UNCUT_WORDS };
enum { PROSE = 80, MIN_WEIGHED = 25, OUTWARDS = 5, MUCH = 300, ARTICLE = 200, UNNAMED = 1500, FEW = 150, TIMES = 3,
       MAX_AROUND = 20, MAX_NAMES = 1000, TAB = 4 };
static const double MAX_LINKED = 0.4, ONLY_LINKS = 0.8, OUTWARD = 0.6, MOST = 0.4, WHOLE = 0.6, WHOLE_NAVIGATION = 0.9,
                    FAVOUR = 1.3, MIN_SHARE = 0.25, NEARLY_ALL = 0.95, LIKE = 0.3, BESIDE = 0.3, BESIDE_LINKED = 0.5;

typedef struct { size_t box, letters, linked; Span text; } Run;
typedef struct {
    size_t above, begin, end, until, letters, linked, prose, free;
    uintptr_t tag;
    double weight;
    unsigned kind;
    u8 hint, cut, in_navigation;
} Box; /* the first is above itself */
typedef struct { size_t begin, end; enum rule rule; } Choice;
typedef struct {
    const uint32_t *kinds;
    PyObject *named, *told;
    Node *link;
    size_t box, linked;
    u8 has_parts;
} Boxing;

#define BOX(g, i) AT(g, boxes, Box, i)
#define RUN(g, i) AT(g, runs, Run, i)

/* The bytes of the white space that ends there; 0 if none does. */
static size_t blank_before(const u8 *s, size_t n) {
    size_t at = n - 1;
    while (at > 0 && (s[at] & 0xC0) == 0x80) at--;
    return blank_at(s + at, s + n) == n - at ? n - at : 0;
}

static Span stripped(const u8 *s, size_t n) {
    Span kept = {0, n};
    size_t spaces;
    while (kept.n && (spaces = blank_at(s + kept.at, s + n))) kept.at += spaces, kept.n -= spaces;
    while (kept.n && (spaces = blank_before(s + kept.at, kept.n))) kept.n -= spaces;
    return kept;
}

static int ends_line(const u8 *s, size_t spaces) {
    if (spaces == 1) return (*s >= '\n' && *s <= '\r') || (*s >= 28 && *s <= 30);
    return spaces == 2 ? s[1] == 0x85 : s[0] == 0xE2 && s[1] == 0x80 && (s[2] == 0xA8 || s[2] == 0xA9);
}

/* The lines that are not blank, without blanks at their ends, and without tabs. */
static Span put_lines(Page *g, Buf *b, const u8 *s, size_t n) {
    Span lines = {b->n, 0};
    const u8 *end = s + n;
    size_t line = b->n, solid = b->n, column = 0; /* where the line begins, and its last letter ends */
    while (s < end) {
        size_t spaces = blank_at(s, end);
        if (spaces && ends_line(s, spaces)) {
            column = *s == '\n' || *s == '\r' ? 0 : column + 1; /* as `expandtabs` has it */
            b->n = solid;
            if (solid > line) put_sign(g, b, '\n');
            line = solid = b->n, s += spaces;
        } else if (*s == '\t') {
            do put_sign(g, b, ' '); while (++column % TAB);
            s++;
        } else if (spaces) {
            put(g, b, s, spaces);
            column++, s += spaces;
        } else {
            column += (*s & 0xC0) != 0x80;
            put_sign(g, b, (char)*s++);
            solid = b->n;
        }
    }
    b->n = solid;
    lines.n = b->n - lines.at;
    if (lines.n && b->p[b->n - 1] == '\n') b->n--, lines.n--;
    return lines;
}

static unsigned kind_of(const Boxing *w, Node *node) {
    uintptr_t tag = lxb.tag(node);
    return tag < ACTS ? w->kinds[tag] : 0;
}

static void end_run(Page *g, Boxing *w) {
    const u8 *s = (const u8 *)g->parts.p;
    int keeps_lines = BOX(g, w->box)->kind & IS_PREFORMATTED;
    Run run = {.box = w->box};
    run.text = (keeps_lines ? put_lines : put_words)(g, &g->text, s, g->parts.n);
    if (run.text.n) {
        run.letters = letters(g->text.p + run.text.at, run.text.n);
        run.linked = w->linked < run.letters ? w->linked : run.letters;
        *ADD(g, runs, Run) = run;
    }
    g->parts.n = w->linked = 0;
    w->has_parts = w->link != NULL;
}

/* -1 with an error of Python's. */
static long number_from(PyObject *found) {
    long number = found ? PyLong_AsLong(found) : -1;
    Py_XDECREF(found);
    return number;
}

static PyObject *attributes_object(Node *node) {
    PyObject *made = PyDict_New();
    for (Attr *each = lxb.first(node); made && each; each = lxb.following(each)) {
        size_t n = 0, length = 0;
        const u8 *name = lxb.attr(each, &n), *value = lxb.value(each, &length);
        PyObject *key = string((const char *)name, n), *held = value ? string((const char *)value, length) : shared(Py_None);
        if (key == NULL || held == NULL || PyDict_SetItem(made, key, held) < 0) Py_CLEAR(made);
        Py_XDECREF(key);
        Py_XDECREF(held);
    }
    return made;
}

static long told_by_attributes(const Boxing *w, Node *node) {
    size_t n = 0;
    const u8 *tag = lxb.name(node, &n);
    PyObject *name = string((const char *)tag, n), *attributes = attributes_object(node), *found = NULL;
    if (name && attributes) found = PyObject_CallFunctionObjArgs(w->told, name, attributes, NULL);
    Py_XDECREF(name);
    Py_XDECREF(attributes);
    return number_from(found);
}

static int tells(const u8 *name, size_t n) {
    static const char *const telling[] = {"role", "itemprop", "hidden", "aria-hidden", "style", NULL};
    for (int i = 0; telling[i]; i++)
        if (strlen(telling[i]) == n && memcmp(name, telling[i], n) == 0) return 1;
    return 0;
}

/* What the markup says of an element, as `lycosa.read.boxes.hints` tells it; that of its names is remembered there. */
static long hint_of(Page *g, const Boxing *w, Node *node, unsigned kind) {
    long told = kind >> TOLD_AT;
    Attributes a;
    if ((kind & IS_BARE) || lxb.first(node) == NULL || told > CONTENT_HINT) return kind & IS_BARE ? NO_HINT : told;
    for (Attr *each = lxb.first(node); each != NULL; each = lxb.following(each)) {
        size_t n = 0;
        const u8 *name = lxb.attr(each, &n);
        if (name && tells(name, n)) return told_by_attributes(w, node);
    }
    if (told) return told;
    read_attributes(node, &a);
    if (a.n[CLASS] + a.n[ID] == 0) return NO_HINT;
    g->scratch.n = 0;
    put(g, &g->scratch, a.s[CLASS], a.n[CLASS]);
    put_sign(g, &g->scratch, ' ');
    put(g, &g->scratch, a.s[ID], a.n[ID]);
    PyObject *names = string(g->scratch.p, first_letters(g->scratch.p, g->scratch.n, MAX_NAMES));
    PyObject *found = names ? PyObject_GetItem(w->named, names) : NULL;
    Py_XDECREF(names);
    return number_from(found);
}

static void open_box(Page *g, Boxing *w, Node *node, unsigned kind) {
    if (w->has_parts) end_run(g, w);
    long hint = hint_of(g, w, node, kind);
    if (hint < 0) longjmp(g->out, 1);
    Box made = {.above = w->box, .begin = COUNT(g, runs, Run), .tag = lxb.tag(node), .kind = kind, .hint = (u8)hint};
    w->box = COUNT(g, boxes, Box);
    *ADD(g, boxes, Box) = made;
}

static void close_box(Page *g, Boxing *w) {
    if (w->has_parts) end_run(g, w);
    Box *box = BOX(g, w->box);
    box->end = COUNT(g, runs, Run), box->until = COUNT(g, boxes, Box);
    w->box = box->above;
}

static void leave(Page *g, Boxing *w, Node *node) {
    unsigned kind = kind_of(w, node);
    if (kind & IS_BOX) close_box(g, w);
    else if (node == w->link) w->link = NULL, w->has_parts = 1;
    else if (kind & IS_STYLE) w->has_parts = 1;
}

static void put_part(Page *g, Boxing *w, Node *node) {
    size_t n;
    const u8 *s = text_of(node, &n);
    Span words = stripped(s, n);
    if (!w->has_parts && n && !words.n) return;
    put(g, &g->parts, s, n);
    w->has_parts = 1;
    if (w->link) w->linked += letters((const char *)s + words.at, words.n);
}

/* Whether what is in the node is gone through. */
static int enter_box(Page *g, Boxing *w, Node *node) {
    unsigned kind = kind_of(w, node);
    int has_child = lxb.child(node) != NULL;
    if (kind & IS_TEXT) {
        put_part(g, w, node);
    } else if (kind & IS_BOX) {
        open_box(g, w, node, kind);
        if (has_child) return 1;
        close_box(g, w);
    } else if (kind & IS_BREAK) {
        put_sign(g, &g->parts, '\n');
        w->has_parts = 1;
    } else if (!(kind & IS_UNSHOWN) && has_child) {
        Attributes a;
        if ((kind & IS_LINK) && w->link == NULL) {
            read_attributes(node, &a);
            if (a.s[HREF]) w->link = node;
        }
        if (w->link == node || (kind & IS_STYLE)) w->has_parts = 1;
        return 1;
    }
    return 0;
}

static void find_boxes(Page *g, Boxing *w, Node *root) {
    size_t depth = 0;
    *ADD(g, boxes, Box) = (Box){.kind = IS_TOP};
    for (Node *node = root, *next; node != NULL; node = next) {
        if (enter_box(g, w, node)) {
            depth++;
            next = lxb.child(node);
            continue;
        }
        while ((next = lxb.next(node)) == NULL && depth) {
            node = lxb.parent(node), depth--;
            leave(g, w, node);
        }
    }
    end_run(g, w);
    BOX(g, 0)->end = COUNT(g, runs, Run), BOX(g, 0)->until = COUNT(g, boxes, Box);
}

static int is_link(Page *g, const Run *run) {
    return (double)run->linked > ONLY_LINKS * (double)run->letters && (BOX(g, run->box)->kind & IS_LISTED);
}

static void measure(Page *g) {
    for (size_t i = 0; i < COUNT(g, runs, Run); i++) {
        Run *run = RUN(g, i);
        Box *box = BOX(g, run->box);
        box->letters += run->letters, box->linked += run->linked;
        if (run->letters >= PROSE && (double)run->linked < MAX_LINKED * (double)run->letters) box->prose += run->letters;
    }
    for (size_t i = COUNT(g, boxes, Box); i-- > 1;) {
        Box *box = BOX(g, i), *above = BOX(g, box->above);
        above->letters += box->letters, above->linked += box->linked, above->prose += box->prose;
    }
}

static int is_cut(const Box *box, const Box *whole) {
    int is_most = (double)box->prose > MOST * (double)whole->prose;
    if (box->hint == SIDE_HINT) return !is_most;
    if (box->hint == FOOT_HINT) return (double)box->letters < WHOLE * (double)whole->letters;
    return (box->prose < MUCH || !is_most || (box->kind & IS_LANDMARK)) &&
           (double)box->letters < WHOLE_NAVIGATION * (double)whole->letters;
}

static void cut(Page *g) {
    for (size_t i = 0; i < COUNT(g, boxes, Box); i++) {
        Box *box = BOX(g, i), *above = BOX(g, box->above);
        if (i && above->cut) box->cut = 1, box->in_navigation = above->in_navigation;
        else if (box->hint > CONTENT_HINT && is_cut(box, BOX(g, 0))) box->cut = 1, box->in_navigation = box->hint != SIDE_HINT;
    }
}

static double weight_of(Page *g, const Run *run) {
    if (run->letters < MIN_WEIGHED || (BOX(g, run->box)->kind & IS_HEADING)) return 0.0;
    const char *s = g->text.p + run->text.at;
    size_t commas = 0;
    for (size_t i = 0; i < run->text.n; i++) commas += s[i] == ',';
    double hundreds = (double)run->letters / 100, unlinked = 1 - (double)run->linked / (double)run->letters;
    double length = hundreds < 3.0 ? hundreds : 3.0;
    return unlinked * unlinked * (1 + length + (double)(commas < 5 ? commas : 5) / 2);
}

static void weigh_boxes(Page *g) {
    for (size_t i = 0; i < COUNT(g, runs, Run); i++) {
        Run *run = RUN(g, i);
        Box *box = BOX(g, run->box);
        if (box->cut) continue;
        if (!is_link(g, run)) box->free += run->letters - run->linked;
        double weight = weight_of(g, run);
        size_t at = box->kind & IS_IN_BLOCKS ? box->above : run->box;
        for (int far = 0; far < OUTWARDS && weight != 0.0; far++) {
            BOX(g, at)->weight += weight;
            weight *= OUTWARD;
            if (at == 0) break;
            at = BOX(g, at)->above;
        }
    }
    for (size_t i = COUNT(g, boxes, Box); i-- > 1;) BOX(g, BOX(g, i)->above)->free += BOX(g, i)->free;
}

static int fits(Page *g, const Run *run, enum rule rule) {
    const Box *box = BOX(g, run->box);
    return rule == ALL || (rule == NO_NAVIGATION ? !box->in_navigation : !box->cut && (rule == UNCUT || !is_link(g, run)));
}

static size_t letters_in(Page *g, Choice choice) {
    size_t count = 0;
    for (size_t i = choice.begin; i < choice.end; i++)
        if (fits(g, RUN(g, i), choice.rule)) count += RUN(g, i)->letters;
    return count;
}

static size_t heaviest(Page *g) {
    size_t best = 0;
    double most = 0.0;
    for (size_t i = 0; i < COUNT(g, boxes, Box); i++) {
        const Box *box = BOX(g, i);
        if (!(box->weight > 0.0)) continue;
        double weight = box->weight * (1 - (double)box->linked / (double)box->letters);
        if (box->hint == CONTENT_HINT) weight *= FAVOUR;
        if (weight > most && !(box->kind & IS_ROW)) best = i, most = weight;
    }
    return best;
}

static int is_named(Page *g, size_t top) {
    for (size_t at = top;; at = BOX(g, at)->above) {
        if (BOX(g, at)->hint == CONTENT_HINT) return 1;
        if (at == 0) break;
    }
    for (size_t i = top; i < BOX(g, top)->until; i++)
        if (BOX(g, i)->hint == CONTENT_HINT && BOX(g, i)->weight > BOX(g, top)->weight / 2) return 1;
    return 0;
}

/* Goes to the box around one, if that is within the page's body. */
static int outwards(Page *g, size_t *at, int *far) {
    if (*at == 0 || ++*far > MAX_AROUND || (BOX(g, BOX(g, *at)->above)->kind & IS_TOP)) return 0;
    *at = BOX(g, *at)->above;
    return 1;
}

static size_t with_likes(Page *g, size_t top) {
    int far = 0;
    for (size_t at = top, above = top; outwards(g, &above, &far); at = above) {
        const Box *box = BOX(g, at);
        size_t likes = 0;
        for (size_t i = above; box->hint == CONTENT_HINT && i < BOX(g, above)->until; i++) {
            const Box *other = BOX(g, i);
            if (other->above == above && i != at && i && other->hint == CONTENT_HINT && other->tag == box->tag && !other->cut)
                likes += other->prose;
        }
        if ((double)likes > LIKE * (double)box->prose) return above;
    }
    return top;
}

static size_t with_beside(Page *g, size_t top) {
    int far = 0;
    for (size_t at = top; outwards(g, &at, &far);) {
        const Box *box = BOX(g, at), *inner = BOX(g, top);
        if (box->hint != CONTENT_HINT || (double)box->free <= (1 + BESIDE) * (double)inner->free) continue;
        size_t beside = 0, linked = 0;
        for (size_t i = box->begin; i < box->end; i++) {
            if ((i >= inner->begin && i < inner->end) || BOX(g, RUN(g, i)->box)->cut) continue;
            beside += RUN(g, i)->letters, linked += RUN(g, i)->linked;
        }
        if ((double)linked <= BESIDE_LINKED * (double)beside) top = at;
    }
    return top;
}

static Choice choose(Page *g) {
    measure(g);
    cut(g);
    weigh_boxes(g);
    Choice all = {0, COUNT(g, runs, Run), ALL}, uncut = {0, all.end, UNCUT}, more = {0, all.end, NO_NAVIGATION};
    size_t whole = BOX(g, 0)->letters, left = letters_in(g, uncut);
    if (left < FEW && whole > TIMES * left) {
        left = letters_in(g, more);
        return left >= FEW || whole <= TIMES * left ? more : all;
    }
    size_t top = heaviest(g);
    if (BOX(g, top)->prose >= (is_named(g, top) ? ARTICLE : UNNAMED)) {
        const Box *box = BOX(g, with_beside(g, with_likes(g, top)));
        Choice words = {box->begin, box->end, UNCUT_WORDS};
        if ((double)box->free >= MIN_SHARE * (double)BOX(g, 0)->free && letters_in(g, words)) return words;
    } else {
        Choice within = {BOX(g, top)->begin, BOX(g, top)->end, UNCUT};
        if ((double)letters_in(g, within) > NEARLY_ALL * (double)left) return within;
    }
    return left ? uncut : all;
}

static size_t write_main(Page *g, Choice choice) {
    size_t count = 0;
    g->parts.n = 0;
    for (size_t i = choice.begin; i < choice.end; i++) {
        const Run *run = RUN(g, i);
        if (!fits(g, run, choice.rule)) continue;
        if (count) put_sign(g, &g->parts, '\n');
        put(g, &g->parts, g->text.p + run->text.at, run->text.n);
        count += run->letters;
    }
    return count;
}

static int choose_main(Page *g, Boxing *w, Node *root, size_t *count) {
    if (setjmp(g->out)) return 0;
    room(g, &g->parts, 64), room(g, &g->text, 64);
    find_boxes(g, w, root);
    *count = write_main(g, choose(g));
    return 1;
}

static PyObject *main_text(PyObject *module, PyObject *args) {
    (void)module;
    Boxing w = {.box = 0};
    PyObject *address, *made = NULL;
    const char *kinds;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "Oy#OO", &address, &kinds, &size, &w.named, &w.told) || !is_bound()) return NULL;
    Node *root = PyLong_AsVoidPtr(address);
    if (root == NULL || size != ACTS * (Py_ssize_t)sizeof(uint32_t)) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "no node, or a table of another size");
        return NULL;
    }
    w.kinds = (const uint32_t *)kinds;
    Page *g = calloc(1, sizeof *g);
    if (g == NULL) return PyErr_NoMemory();
    size_t count = 0;
    if (choose_main(g, &w, root, &count)) {
        PyObject *items[] = {string(g->parts.p, g->parts.n), PyLong_FromSize_t(count), PyLong_FromSize_t(BOX(g, 0)->letters)};
        made = tuple_of(3, items);
    } else if (!PyErr_Occurred()) {
        PyErr_NoMemory();
    }
    clear(g);
    return made;
}

/* -- what there is that may tell something of a page, as `lycosa.read.main.clues` names it */

enum { AN_ELEMENT = 1, AN_ANCHOR = 1, RELATED = 1 << 5, DEED = 1 << 6, ITEM = 1 << 7, FIRST_NAME = 1 << 8, ALL_CLUES = (1 << 14) - 1 };
static unsigned (*type_of)(Node *); /* NULL where lexbor does not show it */

static int holds(const u8 *s, size_t n, const char *word) {
    size_t length = strlen(word);
    for (const u8 *at = s, *end = s + n; (at = memchr(at, *word, (size_t)(end - at))) != NULL; at++)
        if ((size_t)(end - at) >= length && memcmp(at, word, length) == 0) return 1;
    return 0;
}

static int is_called(const u8 *s, size_t n, const char *name, size_t length) { return n == length && memcmp(s, name, n) == 0; }

static unsigned names_in(const u8 *s, size_t n) {
    static const char *const names[] = {"author", "Author", "byline", "Byline", "date", "publish", NULL};
    unsigned found = 0;
    for (unsigned i = 0; names[i]; i++)
        if (holds(s, n, names[i])) found |= FIRST_NAME << i;
    return found;
}

static unsigned clues_of(Node *node, unsigned tag) {
    unsigned found = tag & ~(unsigned)AN_ANCHOR;
    for (Attr *each = lxb.first(node); each != NULL; each = lxb.following(each)) {
        size_t n = 0, length = 0;
        const u8 *name = lxb.attr(each, &n), *value;
        if (name == NULL) continue;
        if (is_called(name, n, "class", 5)) {
            if ((value = lxb.value(each, &length)) != NULL) found |= names_in(value, length);
        } else if (is_called(name, n, "itemscope", 9)) {
            found |= ITEM;
        } else if ((tag & AN_ANCHOR) && is_called(name, n, "rel", 3)) {
            found |= RELATED;
        } else if ((tag & AN_ANCHOR) && n >= 4 && memcmp(name + n - 4, "href", 4) == 0) {
            if ((value = lxb.value(each, &length)) && holds(value, length, "creativecommons.org/")) found |= DEED;
        }
    }
    return found;
}

static PyObject *clues(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *address;
    const char *tags;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "Oy#", &address, &tags, &size) || !is_bound()) return NULL;
    Node *root = PyLong_AsVoidPtr(address);
    if (root == NULL || size != ACTS) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "no node, or a table of another size");
        return NULL;
    }
    unsigned found = type_of ? 0 : ALL_CLUES;
    for (Node *node = root; node != NULL && type_of; node = onwards(node, root, 1)) {
        if (type_of(node) != AN_ELEMENT) continue;
        uintptr_t tag = lxb.tag(node);
        found |= clues_of(node, tag < ACTS ? (u8)tags[tag] : 0);
    }
    return PyLong_FromUnsignedLong(found);
}

/* -- the guard against nesting */

enum { MAX_ATTRIBUTES = 256, MAX_ROOTS = 8, HARMLESS_LENGTH = 8192, HARMLESS_TAGS = 1094, HARMLESS_DEPTH = 4000,
       MAX_REOPENED = 300000 };
static const char *const FORMATTING[] = {"b", "big", "code", "em", "font", "i", "s", "small", "strike", "strong", "tt",
                                         "u", "nobr", NULL};
static const char *const RAW[] = {"script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes", NULL};

/* Of each byte: whether it is white, ends the name of an attribute, or ends a value without quotes. */
enum { IS_WHITE = 1, ENDS_NAME = 2, ENDS_VALUE = 4 };
static u8 signs_of_tags[256];
static uint32_t formatting_letters, raw_letters; /* a bit for each letter that such a name begins with */

static uint32_t letters_of(const char *const *names) {
    uint32_t found = 0;
    for (int i = 0; names[i]; i++) found |= (uint32_t)1 << (*names[i] - 'a');
    return found;
}

static void know_tags(void) {
    for (const char *c = " \t\n\f\r"; *c; c++) signs_of_tags[(u8)*c] = IS_WHITE | ENDS_NAME | ENDS_VALUE;
    signs_of_tags['/'] = signs_of_tags['='] = ENDS_NAME;
    signs_of_tags['>'] = ENDS_NAME | ENDS_VALUE;
    formatting_letters = letters_of(FORMATTING);
    raw_letters = letters_of(RAW);
}

static int is_white(u8 c) { return signs_of_tags[c] & IS_WHITE; }

/* Where attributes end that begin here, or NULL if there are too many; as `_ATTRIBUTE` of tags.py. */
static const u8 *past_attributes(const u8 *s, const u8 *end) {
    for (unsigned count = 0; s < end && *s != '>'; count++) {
        if (count == MAX_ATTRIBUTES) return NULL;
        while (s < end && (is_white(*s) || *s == '/')) s++;
        if (s < end && *s == '=') s++;
        while (s < end && !(signs_of_tags[*s] & ENDS_NAME)) s++;
        const u8 *value = s;
        while (value < end && is_white(*value)) value++;
        if (value == end || *value != '=') continue;
        s = value + 1;
        while (s < end && is_white(*s)) s++;
        if (s < end && (*s == '"' || *s == '\'')) {
            const u8 *close = memchr(s + 1, *s, (size_t)(end - s - 1));
            s = close ? close + 1 : end;
        } else {
            while (s < end && !(signs_of_tags[*s] & ENDS_VALUE)) s++;
        }
    }
    return s;
}

/* Where text ends that holds no tags, which `from` is the begin of, or `end`: that of a comment, or of an element whose
 * text is raw. A script with a comment may hold its own end: nothing behind it is trusted. */
static const u8 *past_comment(const u8 *from, const u8 *end) {
    for (; (from = memchr(from, '-', (size_t)(end - from))) != NULL; from++)
        if (end - from > 2 && from[1] == '-' && (from[2] == '>' || (end - from > 3 && from[2] == '!' && from[3] == '>')))
            return from;
    return end;
}

static const u8 *past_raw(const u8 *from, const u8 *end, const char *name) {
    size_t n = strlen(name);
    int is_script = strcmp(name, "script") == 0;
    for (; (from = memchr(from, '<', (size_t)(end - from))) != NULL; from++) {
        size_t left = (size_t)(end - from);
        if (is_script && left > 3 && memcmp(from, "<!--", 4) == 0) return end;
        if (left < n + 3 || from[1] != '/' || !is_word(from + 2, n, name)) continue;
        u8 next = from[n + 2];
        if (is_white(next) || next == '/' || next == '>') return from;
    }
    return end;
}

static int number_in(const char *const *names, const u8 *name, size_t n) {
    for (int i = 0; names[i]; i++)
        if (is_word(name, n, names[i])) return i;
    return -1;
}

/* Whether `flat` of markup.py leaves the page as it is; 0 also where that is not told at once. What looks like a start tag
 * within scripts and comments counts as one; what looks like an end tag counts only where it must be one. So no more
 * formatting elements are open than are counted. */
static int is_harmless(const u8 *s, size_t n) {
    const u8 *end = s + n, *trusted = s;
    size_t starts = 0, roots = 0, work = 8 * n + 4096, opened[sizeof FORMATTING / sizeof *FORMATTING] = {0};
    size_t open = 0, most = 0;
    for (const u8 *at = s; (at = memchr(at, '<', (size_t)(end - at))) != NULL;) {
        const u8 *mark = at, *name = ++at, *past = at;
        int closes = name < end && *name == '/';
        starts += !closes;
        name += closes;
        if (name == end) continue;
        if (*name == '!' && !closes) past = end - name > 2 && name[1] == '-' && name[2] == '-' ? past_comment(name + 3, end)
                                          : end - name > 1 && name[1] == '[' ? end : past;
        else if (*name >= 0x80) past = end;  /* Python's small letters are more than these */
        else if (lower(*name) >= 'a' && lower(*name) <= 'z') {
            const u8 *till = name;
            while (till < end && !is_white(*till) && *till != '/' && *till != '>') till++;
            size_t length = (size_t)(till - name);
            uint32_t letter = (uint32_t)1 << (lower(*name) - 'a');
            if (!closes && length >= 4 && (is_word(name, 4, "html") || is_word(name, 4, "body"))) roots++;
            int which = length <= 6 && (letter & formatting_letters) ? number_in(FORMATTING, name, length) : -1;
            if (which >= 0 && !closes) {
                opened[which]++;
                if (++open > most) most = open;
            } else if (which >= 0 && mark >= trusted && opened[which]) {
                opened[which]--;
                open--;
            }
            if (n <= HARMLESS_LENGTH) continue;
            if ((past = past_attributes(till, end)) == NULL) return 0;
            int raw = closes || !(letter & raw_letters) ? -1 : number_in(RAW, name, length);
            if (raw >= 0) past = past_raw(past, end, RAW[raw]);
        }
        if ((size_t)(past - at) > work) return 0;
        work -= (size_t)(past - at);
        if (past > trusted) trusted = past;
    }
    if (n > HARMLESS_LENGTH && roots > MAX_ROOTS) return 0;
    return starts <= HARMLESS_TAGS || (n > HARMLESS_LENGTH && starts <= HARMLESS_DEPTH && most * starts <= MAX_REOPENED);
}

static PyObject *harmless(PyObject *module, PyObject *source) {
    (void)module;
    Py_ssize_t n;
    const char *s = PyUnicode_AsUTF8AndSize(source, &n);
    if (s == NULL) {
        if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) return NULL;
        PyErr_Clear();
        Py_RETURN_FALSE;
    }
    int found;
    Py_BEGIN_ALLOW_THREADS
    found = is_harmless((const u8 *)s, (size_t)n);
    Py_END_ALLOW_THREADS
    return PyBool_FromLong(found);
}

static PyObject *tags(PyObject *module, PyObject *body) {
    (void)module;
    char *s;
    Py_ssize_t n, found = 0;
    if (PyBytes_AsStringAndSize(body, &s, &n) < 0) return NULL;
    while (n > 0) { /* in the steps that a byte can count, so that the compiler takes many letters at once */
        u8 some = 0;
        Py_ssize_t step = n < 255 ? n : 255;
        for (Py_ssize_t i = 0; i < step; i++) some += s[i] == '<';
        found += some, s += step, n -= step;
    }
    return PyLong_FromSsize_t(found);
}

/* -- fingerprints */

/* Bit i is set if the numbers of terms whose hash has it are more than half of all; `hashes` knows or learns them. */
static PyObject *simhash(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *terms, *hashes, *term, *number;
    Py_ssize_t at = 0;
    Weights weights = {.all = 0};
    if (!PyArg_ParseTuple(args, "O!O!", &PyDict_Type, &terms, &PyDict_Type, &hashes)) return NULL;
    while (PyDict_Next(terms, &at, &term, &number)) {
        PyObject *hash = shared(PyDict_GetItemWithError(hashes, term));
        if (hash == NULL && !PyErr_Occurred()) hash = PyObject_GetItem(hashes, term);
        if (hash == NULL) return NULL;
        uint64_t bits = PyLong_AsUnsignedLongLong(hash);
        uint64_t weight = PyLong_AsUnsignedLongLong(number);
        Py_DECREF(hash);
        if (PyErr_Occurred()) return NULL;
        weigh(&weights, bits, weight);
    }
    return fingerprint_of(&weights);
}

/* -- binding */

static const char *const SYMBOLS[] = {
    "lxb_html_document_create", "lxb_html_document_parse", "lxb_html_document_destroy", "lxb_dom_document_root",
    "lxb_dom_node_first_child_noi", "lxb_dom_node_next_noi", "lxb_dom_node_prev_noi", "lxb_dom_node_parent_noi",
    "lxb_dom_node_tag_id_noi", "lxb_dom_element_qualified_name", "lxb_dom_element_first_attribute_noi",
    "lxb_dom_element_next_attribute_noi", "lxb_dom_attr_qualified_name", "lxb_dom_attr_value_noi"};

/* Where in two text nodes of these lengths the length stands, in words; 0 if at no one place. */
static size_t find_text(const char *s, size_t n, size_t one, size_t other) {
    size_t found = 0;
    Tree *tree = lxb.create();
    if (tree == NULL) return 0;
    Node *root = lxb.parse(tree, (const u8 *)s, n) == 0 ? lxb.root(tree) : NULL;
    Node *body = root ? lxb.child(root) : NULL;
    body = body ? lxb.next(body) : NULL;
    Node *p = body ? lxb.child(body) : NULL, *q = p ? lxb.next(p) : NULL;
    Node *first = p ? lxb.child(p) : NULL, *second = q ? lxb.child(q) : NULL;
    for (size_t i = 1; first && second && i < 20; i++) {
        const uintptr_t *a = (const uintptr_t *)first, *b = (const uintptr_t *)second;
        if (a[i + 1] != one || b[i + 1] != other) continue;
        if (found) {
            found = 0;
            break;
        }
        found = i;
    }
    if (found) {
        const char *a = (const char *)((const uintptr_t *)first)[found];
        const char *b = (const char *)((const uintptr_t *)second)[found];
        if (a == NULL || b == NULL || memcmp(a, s + 3, one) || memcmp(b, s + 3 + one + 4 + 3, other)) found = 0;
    }
    lxb.destroy(tree);
    return found;
}

static PyObject *bind(PyObject *module, PyObject *args) {
    (void)module;
    const char *path, *did, *are;
    Py_ssize_t n, m;
    enum { ONE = 1237, OTHER = 2011 };
    static char probe[ONE + OTHER + 14];
    if (!PyArg_ParseTuple(args, "sy#y#", &path, &did, &n, &are, &m)) return NULL;
    if (n != ACTS || m != ACTS) {
        PyErr_SetString(PyExc_ValueError, "tables of another size");
        return NULL;
    }
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        PyErr_Format(PyExc_OSError, "the parser could not be opened: %s", dlerror());
        return NULL;
    }
    void **slots = (void **)&lxb;
    for (size_t i = 0; i < sizeof SYMBOLS / sizeof *SYMBOLS; i++) {
        slots[i] = dlsym(library, SYMBOLS[i]);
        if (slots[i] == NULL) {
            PyErr_Format(PyExc_OSError, "the parser does not show %s", SYMBOLS[i]);
            return NULL;
        }
    }
    *(void **)&type_of = dlsym(library, "lxb_dom_node_type_noi");
#ifdef __GLIBC__
    /* A page's tree and buffers are some hundred KB, taken and freed for each page. By default the library would give
     * them back to the system each time, and touching them anew takes as long as the walk. */
    mallopt(M_TRIM_THRESHOLD, KEPT_FREE);
    mallopt(M_MMAP_THRESHOLD, KEPT_FREE);
#endif
    know_letters();
    know_bits();
    know_tags();
    seed = (uint64_t)(uintptr_t)library * 0x9E3779B97F4A7C15u ^ (uint64_t)(uintptr_t)&seed;
    memcpy(acts, did, ACTS);
    memcpy(traits, are, ACTS);
    for (int i = 0; i < NAMES; i++) named_length[i] = strlen(NAMED[i]);
    memcpy(probe, "<p>", 3);
    memset(probe + 3, 'x', ONE);
    memcpy(probe + 3 + ONE, "</p><p>", 7);
    memset(probe + 10 + ONE, 'y', OTHER);
    memcpy(probe + 10 + ONE + OTHER, "</p>", 4);
    text_at = find_text(probe, sizeof probe, ONE, OTHER);
    if (text_at == 0) {
        PyErr_SetString(PyExc_OSError, "the parser keeps text in another way");
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"bind", bind, METH_VARARGS, "Take the parser from this library; what tags do, and what they are."},
    {"read_page", read_page, METH_VARARGS, "What a page says; None if it is left to Python."},
    {"page_text", page_text, METH_O, "The text of a page alone; None if it is left to Python."},
    {"main_text", main_text, METH_VARARGS, "The main text of a tree, its letters, and those of all its text."},
    {"clues", clues, METH_VARARGS, "What there is in a tree that may tell something of its page, a bit each."},
    {"harmless", harmless, METH_O, "Whether a page can be parsed as it is."},
    {"tags", tags, METH_O, "How many tags begin or end in bytes."},
    {"simhash", simhash, METH_VARARGS, "The fingerprint of counted terms, by the hash of each."},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "lycosa.read._reading", NULL, -1, methods, NULL, NULL, NULL,
                                    NULL};

PyMODINIT_FUNC PyInit__reading(void) {
    PyObject *made = PyModule_Create(&module);
    if (made && PyModule_AddIntConstant(made, "SOURCE", SOURCE) < 0) Py_CLEAR(made);
    return made;
}
