/** One number bounds the memory of a node's streaming; what it is divided into. */
@NullMarked
package io.sluice.netty.memory;

import org.jspecify.annotations.NullMarked;
