// SPDX-License-Identifier: GPL-2.0-only
#include "run/textgen.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/interrupt.h"
#include "base/sha256.h"

#define VOCABULARY 1024
/* A word appears in it as often as it is frequent: a 16-bit random number picks one. */
#define PICKS	    65536
#define ENDINGS	    256
#define WORD_MAX    15
#define LINE_LENGTH 72

struct word {
	char text[WORD_MAX];
	uint8_t len;
};

/* What follows a word. */
struct ending {
	char text[3];
	uint8_t len;
	uint8_t capital; /* bit that makes a capital of the next word's first letter */
	uint8_t blank;	 /* ends in one blank, which may become a line break */
	uint8_t breaks;	 /* ends the line */
};

struct textgen {
	uint64_t seed;
	struct word words[VOCABULARY];
	uint16_t picks[PICKS];
	struct ending endings[ENDINGS];
};

/*
 * SplitMix64 (Steele, Lea and Flood 2014): a counter and a mixing function, so no draw waits for
 * the one before.
 */
static uint64_t mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static uint64_t draw(uint64_t *state)
{
	return mix(*state += UINT64_C(0x9e3779b97f4a7c15));
}

static void add_syllable(struct word *w, uint64_t r)
{
	static const char onsets[][3] = {"b",  "c",  "d",  "f",	 "g",  "h",  "j",  "k",
					 "l",  "m",  "n",  "p",	 "qu", "r",  "s",  "t",
					 "v",  "w",  "br", "ch", "cl", "dr", "fl", "gr",
					 "pl", "pr", "sh", "sl", "st", "th", "tr", ""};
	static const char vowels[][3] = {"a", "e", "i",	 "o",  "u",  "a", "e", "i",
					 "o", "e", "ai", "ea", "ou", "y", "e", "io"};
	static const char codas[][3] = {"",  "",  "",  "",   "n",  "r",	 "s",  "t",
					"l", "m", "d", "ck", "nd", "st", "ng", ""};
	const char *const parts[] = {onsets[r & 31], vowels[r >> 5 & 15], codas[r >> 9 & 15]};

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		for (const char *p = parts[i]; *p && w->len < WORD_MAX; p++)
			w->text[w->len++] = *p;
}

static bool is_taken(const struct textgen *g, unsigned int rank)
{
	for (unsigned int i = 0; i < rank; i++)
		if (!memcmp(&g->words[i], &g->words[rank], sizeof(struct word)))
			return true;
	return false;
}

/* Frequent words are short, as in every language. No word twice. */
static void make_vocabulary(struct textgen *g, uint64_t *state)
{
	for (unsigned int rank = 0; rank < VOCABULARY; rank++) {
		struct word *w = &g->words[rank];

		do {
			unsigned int syllables = rank < 32 ? 1 : 2;

			if (rank >= 128)
				syllables += draw(state) % 3 != 0;
			if (rank >= 512)
				syllables += draw(state) % 2;
			*w = (struct word){0};
			for (unsigned int i = 0; i < syllables; i++)
				add_syllable(w, draw(state));
		} while (is_taken(g, rank));
	}
}

/* Zipf-Mandelbrot: the word of rank n is as frequent as 1 / (n + 4). */
static void make_picks(struct textgen *g)
{
	uint64_t weights[VOCABULARY], total = 0, sum = 0;
	unsigned int pick = 0;

	for (unsigned int i = 0; i < VOCABULARY; i++)
		total += weights[i] = (UINT64_C(1) << 32) / (i + 4);
	for (unsigned int i = 0; i < VOCABULARY; i++) {
		sum += weights[i];
		while (pick < sum * PICKS / total)
			g->picks[pick++] = (uint16_t)i;
	}
}

static void make_endings(struct textgen *g)
{
	static const struct {
		const char *text;
		unsigned int share; /* of 256 */
	} kinds[] = {
		{". ", 11}, {"? ", 1}, {"! ", 1}, {".\n\n", 3},
		{", ", 19}, {"; ", 2}, {": ", 1}, {" ", 218},
	};
	unsigned int n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		const char *text = kinds[i].text;
		struct ending e = {.len = (uint8_t)strlen(text)};

		memcpy(e.text, text, e.len);
		e.breaks = text[e.len - 1] == '\n';
		e.blank = !e.breaks;
		e.capital = strchr(".?!", *text) ? 'a' ^ 'A' : 0;
		for (unsigned int k = 0; k < kinds[i].share; k++)
			g->endings[n++] = e;
	}
}

struct textgen *textgen_new(uint64_t seed)
{
	struct textgen *g = calloc(1, sizeof(*g));
	uint64_t state = mix(seed);

	if (!g)
		return NULL;
	g->seed = seed;
	make_vocabulary(g, &state);
	make_picks(g);
	make_endings(g);
	return g;
}

void textgen_free(struct textgen *g)
{
	free(g);
}

void textgen_piece(const struct textgen *g, uint64_t index, char *piece)
{
	/* Pieces are 2^40 draws apart in the generator's sequence; one takes fewer than 2^20. */
	uint64_t state = mix(g->seed ^ UINT64_C(0xa0761d6478bd642f)) +
			 (index << 40) * UINT64_C(0x9e3779b97f4a7c15);
	const char *end = piece + TEXTGEN_PIECE;
	char *buf = piece;
	unsigned int column = 0;
	uint8_t capital = 'a' ^ 'A';

	while (buf < end) {
		uint64_t r = draw(&state);
		const struct word *w = &g->words[g->picks[r & (PICKS - 1)]];
		const struct ending *e = &g->endings[r >> 16 & (ENDINGS - 1)];

		/*
		 * Constant lengths are single moves; what is too much is overwritten by what comes
		 * next.
		 */
		memcpy(buf, w->text, WORD_MAX);
		*buf = (char)(*buf ^ capital);
		buf += w->len;
		memcpy(buf, e->text, sizeof(e->text));
		buf += e->len;
		capital = e->capital;
		column += (unsigned int)w->len + e->len;
		if (column > LINE_LENGTH || e->breaks) {
			if (e->blank)
				buf[-1] = '\n';
			column = 0;
		}
	}
	/* Cut where it may; the next piece begins a line. */
	piece[TEXTGEN_PIECE - 1] = '\n';
}

static int write_piece(int fd, const char *name, const char *buf, size_t len, uint64_t offset,
		       struct diag *d)
{
	while (len) {
		ssize_t n = write(fd, buf, len);

		if (ab_interrupted())
			return diag_set(d, -EINTR, "%s: interrupted while it was written", name);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return diag_errno(d, -errno, "%s: cannot be written at byte %" PRIu64, name,
					  offset);
		buf += n;
		len -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

int textgen_write(int fd, const char *name, uint64_t size, uint64_t seed, char hex[SHA256_HEX_SIZE],
		  struct diag *d)
{
	struct textgen *g = textgen_new(seed);
	AB_FREE char *buf = malloc(TEXTGEN_PIECE + TEXTGEN_SLACK);
	AB_SHA256 struct sha256 sum;
	int ret = 0;

	sha256_init(&sum);
	*hex = '\0';
	if (!g || !buf)
		ret = diag_errno(d, -ENOMEM, "%s", name);
	for (uint64_t offset = 0; !ret && offset < size; offset += TEXTGEN_PIECE) {
		size_t len =
			size - offset < TEXTGEN_PIECE ? (size_t)(size - offset) : TEXTGEN_PIECE;

		textgen_piece(g, offset / TEXTGEN_PIECE, buf);
		sha256_update(&sum, buf, len);
		ret = write_piece(fd, name, buf, len, offset, d);
		/*
		 * The disk works while we go on, so that little is left for the fsync at the end.
		 */
		if (!ret)
			sync_file_range(fd, (off_t)offset, (off_t)len, SYNC_FILE_RANGE_WRITE);
	}
	textgen_free(g);
	if (ret)
		return ret;
	ret = sha256_final(&sum, hex);
	return ret ? diag_errno(d, ret, "%s: hash", name) : 0;
}
