/** The seams of the engine: an event loop, a network, workers and ids. */
@NullMarked
package io.sluice.streaming.runtime;

import org.jspecify.annotations.NullMarked;
