/** One number bounds the memory of a node's streaming; what it is divided into. */
@NullMarked
package io.sluice.streaming.memory;

import org.jspecify.annotations.NullMarked;
