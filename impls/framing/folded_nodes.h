/* Nodes of native-folded and native-opt: leaves have no node of their own. A child's number is the
 * prediction itself if that child is a leaf (buschjaeger2018, section V-B a). A node takes 12
 * bytes, 16 in a tree of over 65,536 inner nodes or leaves, and 4 more with over 65,536 features.
 */
#ifndef IMPLS_FRAMING_FOLDED_NODES_H
#define IMPLS_FRAMING_FOLDED_NODES_H

#include "impls/framing/framing_scorer.h"

extern const struct framing_form framing_folded;

#endif
