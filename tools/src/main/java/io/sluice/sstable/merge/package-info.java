/** What several SSTables of one table hold together: each partition once, its rows merged, and a digest of it all. */
@NullMarked
package io.sluice.sstable.merge;

import org.jspecify.annotations.NullMarked;
