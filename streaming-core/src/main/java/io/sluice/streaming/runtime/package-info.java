/** The seams through which the engine reaches the world: an event loop, a network, workers, ids. */
@NullMarked
package io.sluice.streaming.runtime;

import org.jspecify.annotations.NullMarked;
