/** Taking ranges out of a Cassandra node: a session that asks for them, and landing what the node sends. */
@NullMarked
package io.sluice.cassandra.receive;

import org.jspecify.annotations.NullMarked;
