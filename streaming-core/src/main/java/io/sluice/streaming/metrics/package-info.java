/** What a node counts, and how full its queues are. */
@NullMarked
package io.sluice.streaming.metrics;

import org.jspecify.annotations.NullMarked;
