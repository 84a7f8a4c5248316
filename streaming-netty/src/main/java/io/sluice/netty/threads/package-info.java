/** The threads of a node: those that start with it, and those that come and go with work. */
@NullMarked
package io.sluice.netty.threads;

import org.jspecify.annotations.NullMarked;
