/** Tokens, ranges of the ring, and the hash that places a partition key on it. */
@NullMarked
package io.sluice.sstable.token;

import org.jspecify.annotations.NullMarked;
