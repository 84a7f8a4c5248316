/** How a node makes its threads: those that must be there at the start, and those that come and go with work. */
@NullMarked
package io.sluice.netty.threads;

import org.jspecify.annotations.NullMarked;
