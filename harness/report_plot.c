#include "harness/report_parts.h"

#include "base/file.h"
#include "base/json.h"
#include "base/number.h"
#include "base/options.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { FIGURE_PATH_SIZE = 2 * ROW_PATH_SIZE, COMMAND_SIZE = 8 * ROW_PATH_SIZE };

static bool is_figure_kind(const char *kind) {
    return strcmp(kind, "bars") == 0 || strcmp(kind, "lines") == 0 || strcmp(kind, "curves") == 0;
}

enum status report_check_figure(const char *name, const struct artefact *artefact,
                                struct error *error) {
    static const char *const keys[] = {"kind", "variants", NULL};
    const cJSON *json = NULL, *variants = NULL, *item;
    const char *kind = "";
    if (!cJSON_HasObjectItem(artefact->json, "figure"))
        return STATUS_OK;
    enum status status = json_get_object(name, artefact->json, "figure", &json, error);
    if (status != STATUS_OK)
        return status;
    char where[ROW_PATH_SIZE];
    snprintf(where, sizeof where, "%s: figure", name);
    status = artefact_check_keys(where, json, keys, error);
    if (status == STATUS_OK)
        status = json_get_string(where, json, "kind", &kind, error);
    if (status == STATUS_OK && !is_figure_kind(kind))
        status = error_set(error, STATUS_INPUT,
                           "%s: kind: must be \"bars\", \"lines\" or \"curves\"", where);
    if (status == STATUS_OK)
        status = json_get_array(where, json, "variants", &variants, error);
    cJSON_ArrayForEach(item, variants) {
        if (status == STATUS_OK && (!cJSON_IsString(item) || strchr(item->valuestring, '"') ||
                                    !artefact_knows_operand(artefact, item->valuestring)))
            status = error_set(error, STATUS_INPUT,
                               "%s: variants: must name variants of this artefact", where);
    }
    return status;
}

static const cJSON *figure_of(const struct artefact *artefact) {
    return cJSON_GetObjectItemCaseSensitive(artefact->json, "figure");
}

/* What is plotted: the operands of the figure; without a figure, every variant. */
static size_t list_operands(const struct artefact *artefact,
                            const char *operands[ARTEFACT_VARIANTS_MAX]) {
    const cJSON *figure = figure_of(artefact), *item;
    size_t count = 0;
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(figure, "variants")) {
        if (count < ARTEFACT_VARIANTS_MAX)
            operands[count++] = item->valuestring;
    }
    for (size_t i = 0; !figure && i < artefact->n_variants; i++)
        operands[count++] = artefact->variants[i];
    return count;
}

/* An empty field for what is not known. */
static void write_number(FILE *stream, double value) {
    char text[NUMBER_TEXT_SIZE] = "";
    if (isfinite(value))
        number_format_double(value, text);
    fprintf(stream, ",%s", text);
}

static void write_option_v(FILE *stream, const char *variant) {
    char impl[OPTION_TEXT_SIZE];
    struct options options;
    const char *v = NULL;
    if (options_parse(variant, impl, &options, NULL) == STATUS_OK)
        v = options_get(&options, "v");
    fprintf(stream, ",%s", v ? v : "");
}

struct csv {
    FILE *stream;
    const struct artefact *artefact;
    const struct rows *rows;
};

/* What a figure says of data and models that are no real ones: gnuplot cuts texts at commas. */
static const char *origin(const char *note) {
    return strstr(note, "not trained") ? "random trees"
           : strstr(note, "stand-in")  ? "synthetic stand-in"
           : strstr(note, "sample")    ? "a sample"
           : *note                     ? "see the note"
                                       : "";
}

/* A line. Variants are numbered for gnuplot; their names have commas. */
static void write_line(const struct csv *csv, size_t p, size_t i, size_t series,
                       const char *operand) {
    const struct panel *panel = &csv->artefact->scale.panels[p];
    const struct point *point = &panel->points[i];
    char variant[ROW_NAME_SIZE] = "";
    compare_operand_variant(csv->rows, panel, operand, variant, sizeof variant);
    struct estimate time = compare_operand_time(csv->rows, panel, point, operand);
    struct estimate shown = report_shown(panel, time);
    struct report_shape shape = report_shape_at(csv->rows, point);
    fprintf(csv->stream, "%zu,\"%s\",%s,%u,%zu,\"%s\",\"%s\"", p + 1, panel->title,
            axis_name(csv->artefact->scale.x), point_x(point, csv->artefact->scale.x), series + 1,
            operand, artefact_label(csv->artefact, operand));
    write_option_v(csv->stream, variant);
    fprintf(csv->stream, ",%s", report_unit(panel));
    write_number(csv->stream, shown.mean);
    write_number(csv->stream, shown.interval.low);
    write_number(csv->stream, shown.interval.high);
    fprintf(csv->stream, ",%zu,%s", time.trials, panel->points[i].kind);
    write_number(csv->stream, shape.trees);
    write_number(csv->stream, shape.mean_tree_depth);
    write_number(csv->stream, shape.features);
    write_number(csv->stream, shape.documents);
    const char *note = report_note_at(csv->rows, point);
    fprintf(csv->stream, ",%s,\"%s\"\n", origin(note), note);
}

static void write_points(FILE *stream, const struct artefact *artefact, const struct rows *rows) {
    const char *operands[ARTEFACT_VARIANTS_MAX];
    size_t n = list_operands(artefact, operands);
    const struct scale *scale = &artefact->scale;
    const struct csv csv = {stream, artefact, rows};
    fputs("panel,title,axis,x,series,variant,label,v,unit,value,low,high,trials,kind,trees,"
          "mean_tree_depth,features,documents,origin,note\n",
          stream);
    for (size_t p = 0; p < scale->n_panels; p++)
        for (size_t i = 0; i < scale->panels[p].n_points; i++)
            for (size_t k = 0; k < n; k++)
                write_line(&csv, p, i, k, operands[k]);
}

enum status report_write_csv(const char *directory, const struct artefact *artefact,
                             const struct rows *rows, struct error *error) {
    char path[FIGURE_PATH_SIZE];
    struct file_writer writer;
    snprintf(path, sizeof path, "%s/%s.csv", directory, artefact->name);
    enum status status = file_write_begin(&writer, path, error);
    if (status != STATUS_OK)
        return status;
    write_points(writer.stream, artefact, rows);
    return file_write_commit(&writer, error);
}

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
static bool draw_with(const char *directory, const struct artefact *artefact, const char *plots,
                      const char *terminal, const char *suffix) {
    char csv[FIGURE_PATH_SIZE], picture[FIGURE_PATH_SIZE], aside[FIGURE_PATH_SIZE + 32];
    char script[FIGURE_PATH_SIZE], settings[COMMAND_SIZE] = "";
    const cJSON *kind = cJSON_GetObjectItemCaseSensitive(figure_of(artefact), "kind");
    snprintf(csv, sizeof csv, "%s/%s.csv", directory, artefact->name);
    snprintf(picture, sizeof picture, "%s/%s.%s", directory, artefact->name, suffix);
    snprintf(aside, sizeof aside, "%s.tmp.%ld", picture, (long)getpid());
    snprintf(script, sizeof script, "%s/%s.gp", plots, kind->valuestring);
    append_setting(settings, sizeof settings, "csv", csv);
    append_setting(settings, sizeof settings, "out", aside);
    append_setting(settings, sizeof settings, "name", terminal);
    append_setting(settings, sizeof settings, "title", artefact->title);
    append_setting(settings, sizeof settings, "plots", plots);
    if (run_gnuplot(settings, script) && has_content(aside) && rename(aside, picture) == 0)
        return true;
    unlink(aside);
    return false;
}

bool report_draw(const char *directory, const struct artefact *artefact, const char *plots,
                 char *warning, size_t warning_size) {
    if (!figure_of(artefact))
        return true;
    bool svg = draw_with(directory, artefact, plots, "svg", "svg");
    /* Debian's gnuplot-nox draws PNG by cairo or by libgd, others by one of the two. */
    bool png = draw_with(directory, artefact, plots, "pngcairo", "png") ||
               draw_with(directory, artefact, plots, "png", "png");
    if (!svg || !png)
        snprintf(warning, warning_size,
                 "%s: gnuplot drew no %s; install gnuplot-nox (5.4 or newer) and run treebench "
                 "report again",
                 artefact->name,
                 svg   ? "PNG"
                 : png ? "SVG"
                       : "figure");
    return svg && png;
}
