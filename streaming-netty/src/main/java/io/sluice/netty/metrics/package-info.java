/** Publishes the counters and queues of a node to Micrometer. */
@NullMarked
package io.sluice.netty.metrics;

import org.jspecify.annotations.NullMarked;
