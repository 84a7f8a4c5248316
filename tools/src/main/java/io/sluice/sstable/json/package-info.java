/**
 * Prints SSTables as JSON, in readable form, and for comparison with the output of the reference tool.
 *
 * <pre>
 * [ { "partition": { "key": [..], "position": n, "deletion_info": {..} },
 *     "rows": [ { "type": "static_block" | "row" | "range_tombstone_bound" | "range_tombstone_boundary", .. } ] } ]
 * </pre>
 */
@NullMarked
package io.sluice.sstable.json;

import org.jspecify.annotations.NullMarked;
