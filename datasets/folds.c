#include "datasets/folds.h"

#include "base/origin.h"
#include "datasets/data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PARTS_MAX = 5,
    FOLDER_SIZE = FOLD_FOLDER_SIZE,
    FILE_SIZE = 512,
    PATH_SIZE = FOLDER_SIZE + FILE_SIZE + 16
};

/* A data set of the collection. In the first fold, the last part is the test part, the part before
 * it is for validation, and the others are for training. For each further fold, the parts rotate by
 * one. */
struct collected {
    const char *name; /* in the catalogue */
    const char *parts[PARTS_MAX];
    uint32_t n_folds;
    const char *note; /* NULL for the whole data set; otherwise what sample of it */
};

#define MQ2008(part) "ltr/mq2008/" part ".txt.gz"
#define OHSUMED(fold) "ltr/ohsumed25/fold" fold ".test.txt.gz"
#define MSLR(part) "ltr/mslr-web30k-sample/fold1." part ".txt.gz"
#define MSLR_SAMPLE "a sample of MSLR-WEB30K, Fold1: 9,189 documents, 90 queries"

static const struct collected COLLECTED[] = {
    {"mq2008", {MQ2008("S1"), MQ2008("S2"), MQ2008("S3"), MQ2008("S4"), MQ2008("S5")}, 5, NULL},
    /* Fold 1 tests with the fifth part, fold 2 with the first. */
    {"ohsumed", {OHSUMED("2"), OHSUMED("3"), OHSUMED("4"), OHSUMED("5"), OHSUMED("1")}, 5, NULL},
    {"mslr-web30k", {MSLR("train"), MSLR("vali"), MSLR("test")}, 1, MSLR_SAMPLE},
    /* MSLR's samples stand for mslr-web10k: the same features from the same search engine, and the
       closest data available. */
    {"mslr-web10k", {MSLR("train"), MSLR("vali"), MSLR("test")}, 1, MSLR_SAMPLE},
};

/* --- reading ---------------------------------------------------------------------------------- */

/* Checks that a part has everything that the learner and the metrics need. */
static enum status check_part(const char *path, const struct data_set *set,
                              const struct matrix *part, struct error *error) {
    if (part->n_rows == 0 || !part->labels || part->n_queries == 0)
        return error_set(error, STATUS_INPUT,
                         "%s: expected documents with labels and queries (qid:)", path);
    if (part->n_features != set->features)
        return error_set(error, STATUS_INPUT, "%s: the number of features is %u, but %s has %u",
                         path, part->n_features, set->name, set->features);
    return STATUS_OK;
}

static enum status read_part(const char *path, const struct data_set *set, struct matrix **part,
                             struct error *error) {
    const struct data_reading reading = {.n_features = set->features};
    enum status status = data_read(path, &reading, part, error);
    if (!status)
        status = check_part(path, set, *part, error);
    if (status) {
        matrix_free(*part);
        *part = NULL;
    }
    return status;
}

/* Allocates the labels and queries of all parts; matrix_create has allocated the values. */
static enum status make_room(struct matrix *joined, size_t n_queries, struct error *error) {
    joined->labels = malloc(joined->n_rows * sizeof *joined->labels);
    joined->query_row = malloc((n_queries + 1) * sizeof *joined->query_row);
    joined->query_id = malloc(n_queries * sizeof *joined->query_id);
    return joined->labels && joined->query_row && joined->query_id
               ? STATUS_OK
               : error_memory(error, "the documents of a fold");
}

static void append(struct matrix *joined, size_t row, const struct matrix *part) {
    memcpy(matrix_row(joined, row), part->values,
           part->n_rows * part->stride * sizeof *part->values);
    memcpy(joined->labels + row, part->labels, part->n_rows * sizeof *part->labels);
    memcpy(joined->query_id + joined->n_queries, part->query_id,
           part->n_queries * sizeof *part->query_id);
    for (size_t q = 0; q <= part->n_queries; q++)
        joined->query_row[joined->n_queries + q] = row + part->query_row[q];
    joined->n_queries += part->n_queries;
    joined->origin |= part->origin;
}

/* Joins all rows of the parts, one part after the other. The parts must have the same number of
 * features. */
static enum status join(struct matrix *const *parts, size_t n_parts, struct matrix **joined,
                        struct error *error) {
    size_t n_rows = 0, n_queries = 0, row = 0;
    for (size_t i = 0; i < n_parts; i++) {
        n_rows += parts[i]->n_rows;
        n_queries += parts[i]->n_queries;
    }
    enum status status = matrix_create(n_rows, parts[0]->n_features, joined, error);
    if (status)
        return status;
    status = make_room(*joined, n_queries, error);
    if (status) {
        matrix_free(*joined);
        *joined = NULL;
        return status;
    }
    for (size_t i = 0; i < n_parts; row += parts[i++]->n_rows)
        append(*joined, row, parts[i]);
    return STATUS_OK;
}

/* --- the collection --------------------------------------------------------------------------- */

static const struct collected *find_collected(const char *name) {
    for (size_t i = 0; i < sizeof COLLECTED / sizeof *COLLECTED; i++)
        if (strcmp(COLLECTED[i].name, name) == 0)
            return &COLLECTED[i];
    return NULL;
}

static size_t count_parts(const struct collected *collected) {
    size_t n = 0;
    while (n < PARTS_MAX && collected->parts[n])
        n++;
    return n;
}

/* Takes ownership of the parts. Training parts, if read, are joined. */
static enum status make_fold(struct matrix **parts, size_t n, const char *note, struct fold *fold,
                             struct error *error) {
    enum status status = parts[0] ? join(parts, n - 2, &fold->train, error) : STATUS_OK;
    for (size_t i = 0; i < n - 2; i++)
        matrix_free(parts[i]);
    fold->validation = parts[n - 2];
    fold->test = parts[n - 1];
    struct matrix *all[] = {fold->train, fold->validation, fold->test};
    for (size_t i = 0; note && i < 3; i++)
        if (all[i]) {
            snprintf(all[i]->note, sizeof all[i]->note, "%s", note);
            all[i]->origin = ORIGIN_SAMPLE;
        }
    return status;
}

static enum status read_collected(const char *folder, const struct collected *collected,
                                  const struct data_set *set, uint32_t index,
                                  enum fold_parts wanted, struct fold *fold, struct error *error) {
    struct matrix *parts[PARTS_MAX] = {NULL};
    size_t n = count_parts(collected), first = wanted == FOLD_TEST ? n - 1 : 0, read = first;
    enum status status = STATUS_OK;
    for (; read < n; read++) {
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "%s/%s", folder, collected->parts[(read + index) % n]);
        if ((status = read_part(path, set, &parts[read], error)) != STATUS_OK)
            break;
    }
    if (!status)
        return make_fold(parts, n, collected->note, fold, error);
    for (size_t i = first; i < read; i++)
        matrix_free(parts[i]);
    return status;
}

static bool has_collected(const char *folder, const struct collected *collected) {
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", folder, collected->parts[0]);
    return access(path, R_OK) == 0;
}

/* --- the owners' files ------------------------------------------------------------------------ */

enum { N_ROLES = 3 };

/* Sets the paths of a fold's three files in the unpacked folder. Returns false if the data set does
 * not have three files per fold. */
static bool name_files(const struct data_set *set, uint32_t index, char files[N_ROLES][FILE_SIZE]) {
    const char *at = set->documents;
    for (size_t i = 0; i < N_ROLES; i++) {
        if (!at || !*at)
            return false;
        size_t length = strcspn(at, " ");
        const char *folds = strstr(at, "{1..5}");
        if (folds && folds < at + length)
            snprintf(files[i], FILE_SIZE, "%.*s%u%.*s", (int)(folds - at), at, index + 1,
                     (int)(at + length - folds - 6), folds + 6);
        else
            snprintf(files[i], FILE_SIZE, "%.*s", (int)length, at);
        at += length + strspn(at + length, " ");
    }
    return *at == '\0';
}

bool fold_name_folder(const char *name, char folder[static FOLD_FOLDER_SIZE]) {
    const char *sets = getenv("TREEBENCH_DATA_SETS"), *data = getenv("XDG_DATA_HOME"),
               *home = getenv("HOME");
    if (sets && *sets)
        snprintf(folder, FOLDER_SIZE, "%s/%s", sets, name);
    else if (data && *data)
        snprintf(folder, FOLDER_SIZE, "%s/treebench/%s", data, name);
    else if (home && *home)
        snprintf(folder, FOLDER_SIZE, "%s/.local/share/treebench/%s", home, name);
    else
        return false;
    return true;
}

/* scripts/datasets.sh caches "Fold1/train.txt" as "Fold1.train.cache". */
static void name_cache(const char *folder, const char *file, char path[PATH_SIZE]) {
    size_t length = strlen(file);
    if (length > 4 && strcmp(file + length - 4, ".txt") == 0)
        length -= 4;
    int begin = snprintf(path, PATH_SIZE, "%s/", folder);
    snprintf(path + begin, PATH_SIZE - (size_t)begin, "%.*s.cache", (int)length, file);
    for (char *c = path + begin; *c; c++)
        *c = *c == '/' ? '.' : *c;
}

/* Finds the cache of a file, or the text if there is no cache. Returns false if both are absent. */
static bool find_file(const char *folder, const char *file, char path[PATH_SIZE]) {
    name_cache(folder, file, path);
    if (access(path, R_OK) == 0)
        return true;
    snprintf(path, PATH_SIZE, "%s/%s", folder, file);
    return access(path, R_OK) == 0;
}

static enum status read_owners(char paths[N_ROLES][PATH_SIZE], const struct data_set *set,
                               enum fold_parts wanted, struct fold *fold, struct error *error) {
    enum status status = STATUS_OK;
    if (wanted == FOLD_ALL)
        status = read_part(paths[0], set, &fold->train, error);
    if (!status && wanted == FOLD_ALL)
        status = read_part(paths[1], set, &fold->validation, error);
    if (!status)
        status = read_part(paths[2], set, &fold->test, error);
    return status;
}

static bool find_owners(const struct data_set *set, uint32_t index,
                        char paths[N_ROLES][PATH_SIZE]) {
    char folder[FOLDER_SIZE], files[N_ROLES][FILE_SIZE];
    if (!fold_name_folder(set->name, folder) || !name_files(set, index, files))
        return false;
    for (size_t i = 0; i < N_ROLES; i++)
        if (!find_file(folder, files[i], paths[i]))
            return false;
    return true;
}

/* ---------------------------------------------------------------------------------------------- */

/* The location of a fold. */
struct place {
    enum fold_origin origin;
    const struct collected *collected; /* entry of the collection; NULL for the owners' files */
    const char *folder;                /* folder of the collection */
    char paths[N_ROLES][PATH_SIZE];    /* the owners' files */
};

/* Checks that a variable, if set, names a folder. A wrong path must not look like a missing data
 * set. */
static enum status check_folder(const char *variable, struct error *error) {
    const char *folder = getenv(variable);
    struct stat info;
    if (!folder || !*folder || (stat(folder, &info) == 0 && S_ISDIR(info.st_mode)))
        return STATUS_OK;
    return error_set(
        error, STATUS_INPUT,
        "%s=%s: this folder does not exist. Unset the variable to run without its data", variable,
        folder);
}

enum status fold_check_folders(struct error *error) {
    enum status status = check_folder("TREEBENCH_DATA_SETS", error);
    return status ? status : check_folder("TREEBENCH_DATA", error);
}

/* Returns the origin that is the furthest from the data set among those that the files tell. */
static enum fold_origin origin_of_files(char paths[N_ROLES][PATH_SIZE]) {
    enum fold_origin furthest = FOLD_REAL;
    for (size_t i = 0; i < N_ROLES; i++) {
        unsigned bits = data_read_origin(paths[i]);
        enum fold_origin origin = bits & (ORIGIN_STAND_IN | ORIGIN_SYNTHETIC) ? FOLD_STAND_IN
                                  : bits & ORIGIN_UNKNOWN                     ? FOLD_UNKNOWN
                                  : bits & ORIGIN_NOT_REAL                    ? FOLD_SAMPLE
                                                                              : FOLD_REAL;
        furthest = origin > furthest ? origin : furthest;
    }
    return furthest;
}

static enum status find_place(const struct data_set *set, uint32_t index, struct place *place,
                              struct error *error) {
    const struct collected *collected = find_collected(set->name);
    *place = (struct place){.origin = FOLD_ABSENT, .folder = getenv("TREEBENCH_DATA")};
    enum status status = fold_check_folders(error);
    if (status)
        return status;
    if (index < set->folds && find_owners(set, index, place->paths)) {
        place->origin = origin_of_files(place->paths);
    } else if (place->folder && *place->folder && collected && index < collected->n_folds &&
               has_collected(place->folder, collected)) {
        place->origin = collected->note ? FOLD_SAMPLE : FOLD_REAL;
        place->collected = collected;
    }
    return STATUS_OK;
}

enum status fold_find(const struct data_set *set, uint32_t index, enum fold_origin *origin,
                      struct error *error) {
    struct place place;
    enum status status = find_place(set, index, &place, error);
    *origin = place.origin;
    return status;
}

enum status fold_read(const struct data_set *set, uint32_t index, enum fold_parts wanted,
                      struct fold *fold, struct error *error) {
    struct place place;
    *fold = (struct fold){0};
    enum status status = find_place(set, index, &place, error);
    if (!status && place.collected)
        status = read_collected(place.folder, place.collected, set, index, wanted, fold, error);
    else if (!status && place.origin != FOLD_ABSENT)
        status = read_owners(place.paths, set, wanted, fold, error);
    if (status)
        fold_free(fold);
    return status;
}

void fold_free(struct fold *fold) {
    matrix_free(fold->train);
    matrix_free(fold->validation);
    matrix_free(fold->test);
    *fold = (struct fold){0};
}
