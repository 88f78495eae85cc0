/* The trees that RankLib and QuickRank write alike:
 *
 *     <ensemble>
 *       <tree id="1" weight="0.1">
 *         <split>
 *           <feature> 3 </feature>                    from 1 on: column 2
 *           <threshold> 0.5 </threshold>              left where x <= threshold, in float32
 *           <split pos="left">
 *             <output> -1.5 </output>                 times weight: the leaf's value
 *           </split>
 *           <split pos="right"> ... </split>
 *         </split>
 *       </tree>
 *     </ensemble>
 */
#ifndef MODELS_SPLIT_TREES_H
#define MODELS_SPLIT_TREES_H

#include "models/ensemble.h"
#include "models/xml_reader.h"

/* The caller fills in the first members, zeroes the others and frees `nodes` in the end. */
struct split_trees {
    struct ensemble_builder *builder;
    bool float_outputs; /* outputs are read as float32 */
    bool nan_is_zero;   /* a NaN goes where 0 goes; otherwise right */
    double divisor;     /* of all outputs */

    size_t n_ensembles;       /* that have begun */
    struct split_node *nodes; /* of the current tree; from here on private */
    size_t n_nodes, capacity;
    uint32_t current; /* the innermost open split */
    int level;
    float weight;
};

/* An element begins or ends that is an <ensemble> or lies in one. */
enum status split_trees_begin(struct split_trees *trees, struct xml_reader *xml,
                              const char *element, const char **attributes);
enum status split_trees_end(struct split_trees *trees, struct xml_reader *xml);

/* Is an <ensemble> open? */
bool split_trees_open(const struct split_trees *trees);

#endif
