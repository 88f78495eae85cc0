/* How a record's field stores an origin: as the names of its bits. The member is an `unsigned`. */
#ifndef BASE_FILES_ORIGIN_FORM_H
#define BASE_FILES_ORIGIN_FORM_H

#include "base/files/record.h"

extern const struct record_form origin_form;

#endif
