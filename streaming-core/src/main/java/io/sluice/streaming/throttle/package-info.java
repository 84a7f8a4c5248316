/**
 * Limits of rates, and of the share of time that a thread works. Time is an argument: this package neither reads a
 * clock nor waits.
 */
@NullMarked
package io.sluice.streaming.throttle;

import org.jspecify.annotations.NullMarked;
