/** Merges several SSTables of one table: each partition once, its rows merged, and a digest of the content. */
@NullMarked
package io.sluice.sstable.merge;

import org.jspecify.annotations.NullMarked;
