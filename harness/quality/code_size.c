#include "harness/quality/code_size.h"

#include "base/files/origin_form.h"
#include "base/origin.h"
#include "harness/measure/workload.h"

#include <string.h>

#define LINE(KIND, NAME, MEMBER, ...) FIELD(struct code_size, KIND, NAME, MEMBER, __VA_ARGS__)
static const struct record_field fields[] = {
    LINE(TEXT, "kind", subject.workload.kind,
         .help = "learner of the forest; `synthetic`: the isolated example"),
    LINE(TEXT, "data", subject.workload.data, .high = ROW_NAME_SIZE - 1,
         .help = "name of the data set; empty for the example"),
    LINE(TEXT, "note", note, .help = "of the model: a part of the data set; empty otherwise"),
    LINE(FORM, "origin", origin, .help = "of the model, as in the rows above", .form = &origin_form,
         .since = 2),
    LINE(U32, "max_depth", subject.workload.depth, .help = "requested limit"),
    LINE(U32, "features", subject.workload.features, .help = "of the example; 0 for forests"),
    LINE(U32, "trees", subject.workload.trees, .help = "requested limit"),
    LINE(U64, "seed", subject.workload.seed, .help = "the artefact's"),
    LINE(U32, "splits", subject.splits, .help = "of the compiled trees"),
    LINE(U32, "leaves", subject.leaves, .help = "of the compiled trees"),
    LINE(TEXT, "feature", subject.feature, .help = "type of the features: `int` or `float`"),
    LINE(TEXT, "level", subject.level, .help = "`-O0` or `-O3`"),
    LINE(TEXT, "compiler", compiler, .help = "the command"),
    LINE(TEXT, "machine", machine, .help = "that it compiles for: `x86_64`, `arm`, `powerpc`"),
    LINE(TEXT, "version", version, .help = "first line of `--version`"),
    LINE(NUMBER, "code", code, .high = UINT32_MAX, .help = "of all functions", .unit = "bytes"),
    LINE(NUMBER, "constants", constants, .high = UINT32_MAX,
         .help = "constants that the code loads", .unit = "bytes"),
};
/* Lines of schema 1 have a note alone. */
static void complete(void *data, int schema) {
    struct code_size *size = data;
    if (schema < 2)
        size->origin = origin_of_model_note(size->note);
}

const struct record code_size_record = {.what = "a size of code",
                                        .fields = fields,
                                        .n_fields = FIELDS(fields),
                                        .schema = CODE_SIZE_SCHEMA,
                                        .oldest = 1,
                                        .docs = "docs/rows.md",
                                        .complete = complete};

static bool is_of(const struct code_size *size, const struct code_subject *wanted) {
    const struct code_subject *has = &size->subject;
    return workload_same(&has->workload, &wanted->workload) &&
           strcmp(has->feature, wanted->feature) == 0 && strcmp(has->level, wanted->level) == 0 &&
           (wanted->leaves == 0 ||
            (has->splits == wanted->splits && has->leaves == wanted->leaves));
}

const struct code_size *code_sizes_find(const struct json_list *sizes,
                                        const struct code_subject *subject, const char *compiler) {
    const struct code_size *list = sizes->list;
    for (size_t i = 0; i < sizes->count; i++)
        if (strcmp(list[i].compiler, compiler) == 0 && (!subject || is_of(&list[i], subject)))
            return &list[i];
    return NULL;
}

static bool is_same(const void *a, const void *b) {
    const struct code_size *first = a, *second = b;
    return strcmp(first->compiler, second->compiler) == 0 && is_of(first, &second->subject);
}

const struct json_lines code_size_lines = {.file = "sizes.jsonl",
                                           .things = "sizes of code",
                                           .thing = "a size of code",
                                           .size = sizeof(struct code_size),
                                           .record = &code_size_record,
                                           .is_same = is_same};
