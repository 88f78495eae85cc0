#include "harness/doctor/finding.h"

#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const finding_level_names[4] = {"ok", "unknown", "warning", "missing"};

void findings_add(struct findings *findings, const char *name, enum finding_level level,
                  const char *effect, const char *fix, const char *format, ...) {
    if (findings->count == FINDINGS_MOST)
        findings->count--;
    struct finding *finding = &findings->items[findings->count++];
    *finding = (struct finding){.level = level};
    snprintf(finding->name, sizeof finding->name, "%s", name);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding->text, sizeof finding->text, format, arguments);
    va_end(arguments);
    text_make_plain(finding->text); /* parts of it come from files and programs */
    snprintf(finding->effect, sizeof finding->effect, "%s", effect ? effect : "");
    if (level != FINDING_OK)
        snprintf(finding->fix, sizeof finding->fix, "%s", fix ? fix : "");
    text_make_plain(finding->fix);
}

void findings_add_reason(struct findings *findings, const char *name, enum finding_level level,
                         const char *effect, const char *reason) {
    const char *end = strstr(reason, ". ");
    size_t length = end ? (size_t)(end - reason) : strlen(reason);
    findings_add(findings, name, level, effect, end ? end + 2 : NULL, "%.*s", (int)length, reason);
}

enum finding_level findings_worst(const struct findings *findings) {
    enum finding_level worst = FINDING_OK;
    for (size_t i = 0; i < findings->count; i++)
        if (findings->items[i].level > worst)
            worst = findings->items[i].level;
    return worst;
}

static const struct record_field fields[] = {
    PLAIN(struct finding, TEXT, "name", name),
    FIELD(struct finding, CHOICE, "level", level, .names = finding_level_names),
    FIELD(struct finding, TEXT, "text", text, .zero_is_unknown = true),
    FIELD(struct finding, TEXT, "effect", effect, .zero_is_unknown = true),
    FIELD(struct finding, TEXT, "fix", fix, .zero_is_unknown = true)};
const struct record finding_record = RECORD_OF(fields);
