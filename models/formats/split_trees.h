/* The tree format shared by RankLib and QuickRank:
 *
 *     <ensemble>
 *       <tree id="1" weight="0.1">
 *         <split>
 *           <feature> 3 </feature>                    numbered from 1: column 2
 *           <threshold> 0.5 </threshold>              left if x <= threshold, in float32
 *           <split pos="left">
 *             <output> -1.5 </output>                 times weight: the leaf's value
 *           </split>
 *           <split pos="right"> ... </split>
 *         </split>
 *       </tree>
 *     </ensemble> */
#ifndef MODELS_FORMATS_SPLIT_TREES_H
#define MODELS_FORMATS_SPLIT_TREES_H

#include "models/ensemble.h"
#include "models/formats/xml_reader.h"

/* The caller sets the first group of members, zeroes the others, and frees `nodes` at the end. */
struct split_trees {
    struct ensemble_builder *builder;
    bool float_outputs; /* outputs are read as float32 */
    bool nan_is_zero;   /* if true, NaN goes to the side where 0 goes; otherwise NaN goes right */
    double divisor;     /* all outputs are divided by this */

    size_t n_ensembles;       /* <ensemble> elements begun so far */
    struct split_node *nodes; /* the rest is internal: the nodes of the current tree */
    size_t n_nodes, capacity;
    uint32_t current; /* the innermost open split */
    int level;
    float weight;
};

/* Call these functions when an <ensemble>, or an element inside one, begins or ends. */
enum status split_trees_begin(struct split_trees *trees, struct xml_reader *xml,
                              const char *element, const char **attributes);
enum status split_trees_end(struct split_trees *trees, struct xml_reader *xml);

/* Is an <ensemble> open? */
bool split_trees_open(const struct split_trees *trees);

#endif
