/** The engine of a node: plans and sessions of both ends, performed in a runtime that is real or simulated. */
@NullMarked
package io.sluice.streaming.engine;

import org.jspecify.annotations.NullMarked;
