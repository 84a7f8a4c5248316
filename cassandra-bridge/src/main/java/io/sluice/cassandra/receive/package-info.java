/** Receives SSTables from Cassandra nodes: requests ranges or accepts what nodes send, and stores the files. */
@NullMarked
package io.sluice.cassandra.receive;

import org.jspecify.annotations.NullMarked;
