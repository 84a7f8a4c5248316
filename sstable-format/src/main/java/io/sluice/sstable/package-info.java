/** The handle of one SSTable on disk, and the folder of a table that holds several of them. */
@NullMarked
package io.sluice.sstable;

import org.jspecify.annotations.NullMarked;
