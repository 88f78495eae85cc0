#include "harness/gnuplot.h"

#include "harness/row.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { FIGURE_PATH_SIZE = 2 * ROW_PATH_SIZE, COMMAND_SIZE = 8 * ROW_PATH_SIZE };

/* Appends NAME='VALUE'; in gnuplot's quotes a quote is doubled. */
static void append_setting(char *command, size_t size, const char *name, const char *value) {
    size_t used = strlen(command);
    used += (size_t)snprintf(command + used, size - used, "%s='", name);
    for (; *value && used + 5 < size; value++) {
        if (*value == '\'')
            command[used++] = '\'';
        command[used++] = *value;
    }
    snprintf(command + used, size - used, "'; ");
}

/* Runs gnuplot without a shell, and quietly. False when there is no gnuplot, or it failed: a
 * terminal that it was not built with is such a failure. */
static bool run_gnuplot(char *settings, char *script) {
    char *arguments[] = {"gnuplot", "-e", settings, script, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int outcome = 0;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    bool started = posix_spawnp(&child, "gnuplot", &actions, NULL, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    if (!started)
        return false;
    while (waitpid(child, &outcome, 0) < 0)
        if (errno != EINTR)
            return false;
    return WIFEXITED(outcome) && WEXITSTATUS(outcome) == 0;
}

static bool has_content(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && info.st_size > 0;
}

/* One picture by one of gnuplot's terminals: drawn aside, then renamed. */
static bool draw_with(const struct gnuplot_figure *figure, const char *terminal,
                      const char *suffix) {
    char csv[FIGURE_PATH_SIZE], picture[FIGURE_PATH_SIZE], aside[FIGURE_PATH_SIZE + 32];
    char script[FIGURE_PATH_SIZE], settings[COMMAND_SIZE] = "";
    snprintf(csv, sizeof csv, "%s/%s.csv", figure->directory, figure->name);
    snprintf(picture, sizeof picture, "%s/%s.%s", figure->directory, figure->name, suffix);
    snprintf(aside, sizeof aside, "%s.tmp.%ld", picture, (long)getpid());
    snprintf(script, sizeof script, "%s/%s.gp", figure->plots, figure->kind);
    append_setting(settings, sizeof settings, "csv", csv);
    append_setting(settings, sizeof settings, "out", aside);
    append_setting(settings, sizeof settings, "name", terminal);
    append_setting(settings, sizeof settings, "title", figure->title);
    append_setting(settings, sizeof settings, "plots", figure->plots);
    if (run_gnuplot(settings, script) && has_content(aside) && rename(aside, picture) == 0)
        return true;
    unlink(aside);
    return false;
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
