/* Entries of the atlas: who won, by how much, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>

#include "base/hash.h"
#include "harness/tuning/atlas.h"
#include "tests/harness/artefacts/folder.h"
#include "tests/harness/rows/made_up_rows.h"

static const cJSON *member(const cJSON *object, const char *key) {
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

static void fill(struct made_up *made) {
    made_up_trials(made, 3, 32, 2, "struct", 30);
    made_up_trials(made, 3, 32, 2, "vpred,v=8", 10);
    made_up_trials(made, 3, 32, 2, "auto", 15);
    made_up_trials(made, 3, 32, 2, "noop", 1);     /* a baseline cannot win */
    made_up_trials(made, 3, 512, 2, "struct", 20); /* alone: nothing wins */
    made->rows.manifest =
        cJSON_Parse("{\"cpu\": {\"model\": \"A Chip(R) 9\", \"cores\": 2},"
                    " \"build\": {\"commit\": \"0a1b\"},"
                    " \"scale\": \"quick\", \"clock\": \"cpu\", \"host\": \"secret\"}");
}

static cJSON *make(struct made_up *made, char *name) {
    cJSON *entry = NULL;
    struct error error = {""};
    if (atlas_entry_make(made_up_index(made), &entry, name, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return entry;
}

static void the_winner_and_its_lead_are_told(void **state) {
    (void)state;
    struct made_up made = {.capacity = 0};
    char name[ATLAS_NAME_SIZE];
    fill(&made);
    cJSON *entry = make(&made, name);
    assert_int_equal(strncmp(name, "a-chip-r-9-quick-", 17), 0);
    const cJSON *workloads = member(entry, "workloads"), *first = workloads->child;
    assert_int_equal(cJSON_GetArraySize(workloads), 1);
    assert_string_equal(member(first, "winner")->valuestring, "vpred,v=8");
    assert_string_equal(member(first, "second")->valuestring, "struct");
    assert_int_equal(member(first, "variants")->valueint, 2);
    assert_float_equal(member(first, "ns_per_document")->valuedouble, 10, 0.01);
    assert_float_equal(member(member(first, "second_to_winner"), "value")->valuedouble, 3, 1e-6);
    assert_float_equal(member(member(first, "auto_to_winner"), "value")->valuedouble, 1.5, 1e-6);
    assert_null(member(entry, "host"));
    cJSON_Delete(entry);
    made_up_free(&made);
}

static void a_run_without_a_contest_is_refused(void **state) {
    (void)state;
    struct made_up made = {.capacity = 0};
    cJSON *entry = NULL;
    char name[ATLAS_NAME_SIZE];
    struct error error = {""};
    made_up_trials(&made, 3, 32, 2, "struct", 30);
    assert_int_equal(atlas_entry_make(made_up_index(&made), &entry, name, &error), STATUS_INPUT);
    assert_non_null(strstr(error.text, "no point"));
    made_up_free(&made);
}

/* Puts a text of the same length in place of another in the file. */
static void edit(const char *path, const char *from, const char *to) {
    struct file_text text;
    assert_int_equal(file_read(path, &text, NULL), STATUS_OK);
    char *at = strstr(text.data, from);
    assert_non_null(at);
    memcpy(at, to, strlen(to));
    FILE *stream = fopen(path, "w");
    fwrite(text.data, 1, text.size, stream);
    fclose(stream);
    file_text_free(&text);
}

static enum status check(const char *path, struct error *error) {
    cJSON *entry;
    enum status status = atlas_entry_read(path, &entry, error);
    cJSON_Delete(entry);
    return status;
}

/* Writes the entry with another value of a key within `object`, and a checksum that is right. */
static void forge(const char *path, const cJSON *made, const char *within, const char *key,
                  const char *value) {
    cJSON *entry = cJSON_Duplicate(made, true);
    cJSON *workload = cJSON_GetObjectItem(entry, "workloads")->child;
    cJSON *object = strcmp(within, "entry") == 0      ? entry
                    : strcmp(within, "workload") == 0 ? workload
                    : strcmp(within, "ratio") == 0 ? cJSON_GetObjectItem(workload, "auto_to_winner")
                                                   : cJSON_GetObjectItem(entry, within);
    cJSON_ReplaceItemInObject(object, key, cJSON_Parse(value));
    cJSON_DeleteItemFromObject(entry, "checksum");
    char *text = cJSON_PrintUnformatted(entry), checksum[17];
    snprintf(checksum, sizeof checksum, "%016" PRIx64, hash_bytes(HASH_START, text, strlen(text)));
    free(text);
    cJSON_AddStringToObject(entry, "checksum", checksum);
    text = cJSON_PrintUnformatted(entry);
    FILE *stream = fopen(path, "w");
    fprintf(stream, "%s\n", text);
    fclose(stream);
    free(text);
    cJSON_Delete(entry);
}

static void a_right_checksum_does_not_excuse_wrong_types(void **state) {
    (void)state;
    static const struct {
        const char *within, *key, *value, *error;
    } forged[] = {{"entry", "scale", "\"quick\"", ""}, /* unchanged */
                  {"entry", "cpu", "null", "cpu: expected an object"},
                  {"cpu", "cores", "\"2\"", "cpu: cores: expected a number"},
                  {"cpu", "model", "[]", "cpu: model: expected a string"},
                  {"build", "commit", "1", "build: commit: expected a string"},
                  {"entry", "scale", "5", "scale: expected a string"},
                  {"entry", "workloads", "{}", "workloads: expected an array"},
                  {"entry", "workloads", "[5]", "workload 1: expected an object"},
                  {"workload", "winner", "5", "workload 1: winner: expected a string"},
                  {"workload", "documents", "null", "workload 1: documents: expected a number"},
                  {"workload", "second_to_winner", "null", "second_to_winner: expected an object"},
                  {"workload", "auto_to_winner", "null", ""},
                  {"ratio", "low", "\"1\"", "auto_to_winner: low: expected a number or null"},
                  {"ratio", "low", "null", ""}};
    struct made_up made = {.capacity = 0};
    char name[ATLAS_NAME_SIZE], path[256];
    fill(&made);
    cJSON *entry = make(&made, name);
    snprintf(path, sizeof path, "%s/%s", directory, name);
    for (size_t i = 0; i < sizeof forged / sizeof *forged; i++) {
        struct error error = {""};
        forge(path, entry, forged[i].within, forged[i].key, forged[i].value);
        assert_int_equal(check(path, &error), *forged[i].error ? STATUS_INPUT : STATUS_OK);
        if (!strstr(error.text, forged[i].error))
            fail_msg("%s, not %s", error.text, forged[i].error);
    }
    unlink(path);
    cJSON_Delete(entry);
    made_up_free(&made);
}

static void a_run_without_a_machine_is_refused(void **state) {
    (void)state;
    struct made_up made = {.capacity = 0};
    cJSON *entry = NULL;
    char name[ATLAS_NAME_SIZE];
    struct error error;
    fill(&made);
    cJSON_Delete(made.rows.manifest);
    made.rows.manifest = cJSON_CreateObject();
    assert_int_equal(atlas_entry_make(made_up_index(&made), &entry, name, &error), STATUS_INPUT);
    assert_string_equal(error.text, "manifest.json: cpu: expected an object");
    made_up_free(&made);
}

static void an_edited_entry_is_noticed(void **state) {
    (void)state;
    struct made_up made = {.capacity = 0};
    char name[ATLAS_NAME_SIZE], path[256];
    struct error error = {""};
    fill(&made);
    cJSON *entry = make(&made, name);
    assert_int_equal(atlas_entry_write(directory, name, entry, NULL), STATUS_OK);
    snprintf(path, sizeof path, "%s/%s", directory, name);
    assert_int_equal(check(path, &error), STATUS_OK);
    edit(path, "\"variants\":\t2", "\"variants\":\t3");
    assert_int_equal(check(path, &error), STATUS_INPUT);
    assert_non_null(strstr(error.text, "damaged or edited"));
    edit(path, "\"schema\":\t1", "\"schema\":\t2");
    assert_int_equal(check(path, &error), STATUS_INPUT);
    assert_non_null(strstr(error.text, "schema"));
    unlink(path);
    cJSON_Delete(entry);
    made_up_free(&made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_winner_and_its_lead_are_told),
        cmocka_unit_test(a_run_without_a_contest_is_refused),
        cmocka_unit_test(an_edited_entry_is_noticed),
        cmocka_unit_test(a_right_checksum_does_not_excuse_wrong_types),
        cmocka_unit_test(a_run_without_a_machine_is_refused),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
