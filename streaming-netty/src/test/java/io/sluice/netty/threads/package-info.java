/** Tests of how threads are made. */
@NullMarked
package io.sluice.netty.threads;

import org.jspecify.annotations.NullMarked;
