/* What `tune` stored for `auto` is refused with one line, or read into times that are written and
 * read again unchanged. The input is the file from "calls" on: what stands before it, the
 * model and the machine, is what auto_store_write writes here. */
#include "impls/auto/auto_store.h"
#include "tests/fuzz/own_folder.h"

static struct ensemble *make_stump(void) {
    struct ensemble_builder *builder = ensemble_builder_create();
    struct ensemble *ensemble = NULL;
    ensemble_builder_add_tree(builder, 0);
    ensemble_builder_add_inner(
        builder, &(struct inner_node){.left = 1, .right = 2, .count = ENSEMBLE_NO_COUNT});
    ensemble_builder_add_leaf(builder, 1, ENSEMBLE_NO_COUNT);
    ensemble_builder_add_leaf(builder, 2, ENSEMBLE_NO_COUNT);
    fuzz_expect(!ensemble_builder_finish(builder, &(struct ensemble_shape){0}, &ensemble, NULL));
    return ensemble;
}

/* The beginning of the stored file, up to the list of calls. */
static char *stored_head(const struct ensemble *ensemble, const char *path) {
    static struct auto_times times;
    struct auto_size *size_of_call = auto_times_add(&times, 8);
    fuzz_expect(size_of_call && auto_times_spec(&times, "struct") == 0);
    size_of_call->ns[0] = 100;
    fuzz_expect(auto_store_write(ensemble, &times, NULL) == STATUS_OK);
    FILE *file = fopen(path, "r");
    char *text = NULL, *list;
    size_t size = 0;
    fuzz_expect(file && getdelim(&text, &size, '\0', file) > 0);
    fclose(file);
    list = strstr(text, "\"calls\"");
    fuzz_expect(list != NULL);
    *list = '\0';
    return text;
}

static void write_stored(const char *path, const char *head, const uint8_t *data, size_t size) {
    char *text = malloc(strlen(head) + size + 1);
    fuzz_expect(text != NULL);
    strcpy(text, head);
    memcpy(text + strlen(head), data, size);
    fuzz_write(path, text, strlen(head) + size);
    free(text);
}

static void expect_same(const struct auto_times *a, const struct auto_times *b) {
    fuzz_expect(a->n_sizes == b->n_sizes && a->n_sizes > 0 && b->n_specs <= a->n_specs);
    for (size_t i = 0; i < a->n_sizes; i++) {
        fuzz_expect(a->sizes[i].docs == b->sizes[i].docs);
        fuzz_expect(a->sizes[i].source == b->sizes[i].source);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct ensemble *ensemble;
    static char path[PATH_MAX], *head;
    static struct auto_times times, again;
    struct error error = {""};
    bool found;
    if (!ensemble) {
        fuzz_expect(setenv("XDG_CACHE_HOME", fuzz_folder(), 1) == 0);
        ensemble = make_stump();
        fuzz_expect(auto_store_path(ensemble, path, NULL) == STATUS_OK);
        head = stored_head(ensemble, path);
    }
    write_stored(path, head, data, size);
    if (auto_store_read(ensemble, &times, &found, &error)) {
        fuzz_expect_line(error.text, path);
        return 0;
    }
    fuzz_expect(found && auto_store_write(ensemble, &times, NULL) == STATUS_OK);
    fuzz_expect(auto_store_read(ensemble, &again, &found, NULL) == STATUS_OK && found);
    expect_same(&times, &again);
    return 0;
}
