/** From an operation on the ring to a stream plan: who sends which ranges to whom. Pure; no I/O, no clock. */
@NullMarked
package io.sluice.streaming.plan;

import org.jspecify.annotations.NullMarked;
