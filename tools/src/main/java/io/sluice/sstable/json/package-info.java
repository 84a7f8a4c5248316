/**
 * SSTables as JSON, human-readable and for comparison with what the reference tool prints.
 *
 * <pre>
 * [ { "partition": { "key": [..], "position": n, "deletion_info": {..} },
 *     "rows": [ { "type": "static_block" | "row" | "range_tombstone_bound" | "range_tombstone_boundary", .. } ] } ]
 * </pre>
 */
@NullMarked
package io.sluice.sstable.json;

import org.jspecify.annotations.NullMarked;
