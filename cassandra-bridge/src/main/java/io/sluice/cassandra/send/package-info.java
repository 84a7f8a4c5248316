/** Sends SSTables to a Cassandra node: what is sent of each, and the sessions that send it. */
@NullMarked
package io.sluice.cassandra.send;

import org.jspecify.annotations.NullMarked;
