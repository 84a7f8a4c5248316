/** Connections: event loops, frames, the handshake. Everything above it sees messages and channels. */
@NullMarked
package io.sluice.netty.transport;

import org.jspecify.annotations.NullMarked;
