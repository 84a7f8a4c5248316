/**
 * Whole SSTables, file by file, unchanged: at the source, {@code WholeSSTables} determines the files and their
 * checksums; at the receiver, {@code ExtentStream} reads their extents, writes them and computes their checksums.
 * Slices, and the files of rows, are sent in the same way once they are prepared. {@code OpenedTable} opens the
 * SSTables of a pinned table, several at a time by {@code ParallelTasks}.
 */
@NullMarked
package io.sluice.streaming.transfer.block;

import org.jspecify.annotations.NullMarked;
