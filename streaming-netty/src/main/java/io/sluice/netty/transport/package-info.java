/** Connections: event loops, frames and the handshake. Other packages use only messages and channels. */
@NullMarked
package io.sluice.netty.transport;

import org.jspecify.annotations.NullMarked;
