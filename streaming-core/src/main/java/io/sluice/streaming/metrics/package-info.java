/** Counters and queue fill levels of a node, and its events for Java Flight Recorder. */
@NullMarked
package io.sluice.streaming.metrics;

import org.jspecify.annotations.NullMarked;
