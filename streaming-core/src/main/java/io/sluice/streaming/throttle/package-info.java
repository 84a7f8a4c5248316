/** Limits of rates. Time is an argument: nothing here reads a clock or waits. */
@NullMarked
package io.sluice.streaming.throttle;

import org.jspecify.annotations.NullMarked;
