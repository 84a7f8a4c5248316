/** Tests of sockets. */
@NullMarked
package io.sluice.netty.transport;

import org.jspecify.annotations.NullMarked;
