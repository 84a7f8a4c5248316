/** Tests of what reads the extents of whole files. */
@NullMarked
package io.sluice.streaming.transfer.block;

import org.jspecify.annotations.NullMarked;
