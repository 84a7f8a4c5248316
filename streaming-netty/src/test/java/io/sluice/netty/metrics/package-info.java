/** Tests of what is published of a node. */
@NullMarked
package io.sluice.netty.metrics;

import org.jspecify.annotations.NullMarked;
