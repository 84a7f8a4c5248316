/** Connections to and from Cassandra nodes: TLS, handshake, bytes of messages and files. */
@NullMarked
package io.sluice.cassandra.net;

import org.jspecify.annotations.NullMarked;
