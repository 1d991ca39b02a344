# SPDX-License-Identifier: GPL-2.0-only
# Makes tests/unit/stats_vectors.h: what R says about samples that test_stats_two.c compares with our answers.
#
#   Rscript scripts/stats-vectors.R >tests/unit/stats_vectors.h      (Debian: r-base-core)

set.seed(20)
text <- function(x) paste0("{", paste(trimws(formatC(x, digits = 17, format = "g")), collapse = ", "), "}")
number <- function(x) trimws(formatC(x, digits = 17, format = "g"))

# P(rank sum of b >= the one seen) over every choice of which values are b's: ties and all.
enumerate <- function(a, b) {
	ranks <- rank(c(a, b))
	seen <- sum(ranks[-seq_along(a)])
	sums <- combn(ranks, length(b), sum)
	mean(sums >= seen - 1e-9)
}

row <- function(a, b, confidence, moved) {
	tied <- anyDuplicated(c(a, b)) > 0
	differences <- sort(outer(b, a, "-"))
	k <- qwilcox((1 - confidence) / 2, length(a), length(b))
	if (tied) {
		p <- min(1, 2 * min(enumerate(a, b), enumerate(b, a)))
		greater <- enumerate(a, b - moved)
		shift <- median(differences)
		ends <- if (k) c(differences[k], differences[length(differences) + 1 - k]) else c(0, 0)
	} else {
		w <- suppressWarnings(wilcox.test(b, a, conf.int = TRUE, conf.level = confidence, exact = TRUE))
		p <- w$p.value
		greater <- wilcox.test(b, a, mu = moved, alternative = "greater", exact = TRUE)$p.value
		shift <- w$estimate
		ends <- if (k) w$conf.int else c(0, 0)
	}
	cat(sprintf("\t{%d, %d, %s, %s,\n\t %s, %s,\n\t %s, %s, %s, %s, %s},\n", length(a), length(b), number(confidence),
		number(moved), text(a), text(b), number(shift),
		number(ends[1]), number(ends[2]), number(p), number(greater)))
}

cat("/* SPDX-License-Identifier: GPL-2.0-only */\n")
cat("/* Made by scripts/stats-vectors.R with", R.version.string, "- do not edit. */\n")
cat("static const struct {\n\tsize_t n_a, n_b;\n\tdouble confidence, moved, a[40], b[40];\n")
cat("\tdouble shift, low, high, p, greater; /* low and high 0: samples too small */\n} two_vectors[] = {\n")
for (sizes in list(c(2, 3), c(4, 4), c(5, 5), c(5, 8), c(10, 10), c(7, 30), c(30, 30), c(40, 40)))
	for (moved in c(0, 0.3))
		row(signif(rnorm(sizes[1]), 9), signif(rnorm(sizes[2]) + moved, 9), 0.95, moved / 2)
for (sizes in list(c(5, 5), c(30, 30)))
	row(signif(rexp(sizes[1]), 9), signif(rexp(sizes[2]), 9), 0.98, 0.1)
# Ties, as times in whole nanoseconds have them.
for (sizes in list(c(4, 5), c(5, 5), c(8, 8), c(10, 10)))
	row(round(rnorm(sizes[1], 5, 1)), round(rnorm(sizes[2], 6, 1)), 0.95, 1)
row(rep(3, 5), rep(3, 5), 0.95, 0)
row(rep(3, 5), rep(4, 5), 0.95, 0)
cat("};\n\n")

p <- c(0.01, 0.04, 0.0004, 0.2, 0.03, 0.9, 0.0004)
cat("static const double holm_p[] = ", text(p), ";\n", sep = "")
cat("static const double holm_adjusted[] = ", text(p.adjust(p, "holm")), ";\n", sep = "")
