/**
 * Whole SSTables, file by file, as they are: {@code WholeSSTables} says at the source which files leave, and with which
 * checksums; {@code ExtentStream} reads their extents at the receiver, lands them and takes the checksums of what has
 * come. Slices, and the files that rows travel in, take the same way once they are made.
 */
@NullMarked
package io.sluice.streaming.transfer.block;

import org.jspecify.annotations.NullMarked;
