/** What a node has done, counted: for its database, for Micrometer, and for Java Flight Recorder. */
@NullMarked
package io.sluice.netty.metrics;

import org.jspecify.annotations.NullMarked;
