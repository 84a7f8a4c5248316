/** What a node counts, how full its queues are, and its events for Java Flight Recorder. */
@NullMarked
package io.sluice.streaming.metrics;

import org.jspecify.annotations.NullMarked;
