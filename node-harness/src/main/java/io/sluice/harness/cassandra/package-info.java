/**
 * Runs real Apache Cassandra nodes on loopback addresses of this machine, from the project's published artifacts: for
 * trying {@code load}, and for interoperability tests. Nothing listens outside of 127.0.0.0/8.
 */
@NullMarked
package io.sluice.harness.cassandra;

import org.jspecify.annotations.NullMarked;
