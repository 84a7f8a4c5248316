/** Tokens, and ranges of them. */
@NullMarked
package io.sluice.sstable.token;

import org.jspecify.annotations.NullMarked;
