/** Calls of the embedding database, whatever it throws. */
@NullMarked
package io.sluice.streaming.guard;

import org.jspecify.annotations.NullMarked;
