/** The receiving ends of data connections: threads that read sockets and hand the bytes to the engine. */
@NullMarked
package io.sluice.netty.receive;

import org.jspecify.annotations.NullMarked;
