#include "harness/gnuplot.h"

#include "base/process.h"
#include "base/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* gnuplot does not notice a full disk. Returns 0 if more can be written to the file, which stays as
 * it is, or errno's reason. */
static int probe_room(const char *path) {
    static const char more[4096];
    struct stat info;
    int file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (file < 0)
        return errno;
    errno = ENOSPC;
    bool has_room = fstat(file, &info) == 0 && write(file, more, sizeof more) == sizeof more &&
                    ftruncate(file, info.st_size) == 0;
    int reason = has_room ? 0 : errno;
    close(file);
    return reason;
}

/* Drawn aside, then renamed. *full is errno's reason for a file that cannot be written, else 0. */
static bool draw_aside(const struct gnuplot_figure *figure, const char *terminal, const char *csv,
                       const char *picture, const char *script, const char *plots, int *full) {
    char *aside;
    int file;
    *full = temporary_create(picture, &aside, &file);
    if (*full)
        return false;
    close(file);
    bool drawn = run_gnuplot(script, csv, aside, terminal, figure, plots);
    *full = probe_room(aside);
    if (drawn && !*full && has_content(aside))
        return temporary_rename(aside, picture);
    temporary_remove(aside);
    return false;
}

/* One picture by one of gnuplot's terminals. */
static bool draw_with(const struct gnuplot_figure *figure, const char *terminal, const char *suffix,
                      int *full) {
    char *csv = absolute_path(figure->directory, figure->name, "csv");
    char *picture = absolute_path(figure->directory, figure->name, suffix);
    char *script = absolute_path(figure->plots, figure->kind, "gp");
    char *plots = realpath(figure->plots, NULL);
    bool drawn = csv && picture && script && plots &&
                 draw_aside(figure, terminal, csv, picture, script, plots, full);
    free(csv);
    free(picture);
    free(script);
    free(plots);
    return drawn;
}

bool gnuplot_draw(const struct gnuplot_figure *figure, char *warning, size_t warning_size) {
    int svg_full = 0, png_full = 0;
    bool svg = draw_with(figure, "svg", "svg", &svg_full);
    /* Debian's gnuplot-nox draws PNG by cairo or by libgd, others by one of the two. */
    bool png = draw_with(figure, "pngcairo", "png", &png_full) ||
               draw_with(figure, "png", "png", &png_full);
    if (svg_full || png_full)
        snprintf(warning, warning_size, "%s/%s.%s: cannot write: %s", figure->directory,
                 figure->name, svg_full ? "svg" : "png", strerror(svg_full ? svg_full : png_full));
    else if (!svg || !png)
        snprintf(warning, warning_size,
                 "%s: gnuplot drew no %s; install gnuplot-nox (5.4 or newer) and run treebench "
                 "report again",
                 figure->name,
                 svg   ? "PNG"
                 : png ? "SVG"
                       : "figure");
    return svg && png;
}
