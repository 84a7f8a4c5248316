/** Guarded calls of the embedding database. */
@NullMarked
package io.sluice.streaming.guard;

import org.jspecify.annotations.NullMarked;
