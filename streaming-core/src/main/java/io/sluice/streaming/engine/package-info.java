/** The engine of a node: plans and sessions of both ends, on a real or simulated runtime. */
@NullMarked
package io.sluice.streaming.engine;

import org.jspecify.annotations.NullMarked;
