#include "harness/gnuplot.h"

#include "base/process.h"
#include "base/temporary.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* FOLDER/NAME.SUFFIX from the root, malloc'd, or NULL. gnuplot runs names that begin with "<" or
 * "|" as commands; none of these does. */
static char *absolute_path(const char *folder, const char *name, const char *suffix) {
    char *path = NULL, *root = realpath(folder, NULL);
    if (root && asprintf(&path, "%s/%s.%s", root, name, suffix) < 0)
        path = NULL;
    free(root);
    return path;
}

/* The arguments reach the script as they are: gnuplot evaluates nothing in them. No settings of the
 * user's: a figure is the same for everybody. False when there is no gnuplot, or it failed: a
 * terminal that it was not built with is such a failure. */
static bool run_gnuplot(const char *script, const char *csv, const char *out, const char *terminal,
                        const struct gnuplot_figure *figure, const char *plots) {
    const char *const argv[] = {
        "env",  "-u",      "GNUPLOT_LIB", "-u",     "GNUPLOT_DEFAULT_GDFONT",
        "-u",   "GNUTERM", "gnuplot",     "-d",     "-c",
        script, csv,       out,           terminal, figure->title,
        plots,  NULL};
    struct process process;
    char said[1];
    int exit_status = 127;
    if (process_start(argv, NULL, 0, &process, NULL) == STATUS_OK)
        process_finish(&process, said, sizeof said, &exit_status);
    return exit_status == 0;
}

static bool has_content(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && info.st_size > 0;
}

/* Drawn aside, then renamed. */
static bool draw_aside(const struct gnuplot_figure *figure, const char *terminal, const char *csv,
                       const char *picture, const char *script, const char *plots) {
    char *aside;
    int file;
    if (temporary_create(picture, &aside, &file) != 0)
        return false;
    close(file);
    if (run_gnuplot(script, csv, aside, terminal, figure, plots) && has_content(aside))
        return temporary_rename(aside, picture);
    temporary_remove(aside);
    return false;
}

/* One picture by one of gnuplot's terminals. */
static bool draw_with(const struct gnuplot_figure *figure, const char *terminal,
                      const char *suffix) {
    char *csv = absolute_path(figure->directory, figure->name, "csv");
    char *picture = absolute_path(figure->directory, figure->name, suffix);
    char *script = absolute_path(figure->plots, figure->kind, "gp");
    char *plots = realpath(figure->plots, NULL);
    bool drawn = csv && picture && script && plots &&
                 draw_aside(figure, terminal, csv, picture, script, plots);
    free(csv);
    free(picture);
    free(script);
    free(plots);
    return drawn;
}

bool gnuplot_draw(const struct gnuplot_figure *figure, char *warning, size_t warning_size) {
    bool svg = draw_with(figure, "svg", "svg");
    /* Debian's gnuplot-nox draws PNG by cairo or by libgd, others by one of the two. */
    bool png = draw_with(figure, "pngcairo", "png") || draw_with(figure, "png", "png");
    if (!svg || !png)
        snprintf(warning, warning_size,
                 "%s: gnuplot drew no %s; install gnuplot-nox (5.4 or newer) and run treebench "
                 "report again",
                 figure->name,
                 svg   ? "PNG"
                 : png ? "SVG"
                       : "figure");
    return svg && png;
}
