/** The memory limit of streaming on a node, and how it is divided. */
@NullMarked
package io.sluice.streaming.memory;

import org.jspecify.annotations.NullMarked;
