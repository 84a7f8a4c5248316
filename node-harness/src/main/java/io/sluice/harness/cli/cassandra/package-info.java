/** {@code ./sluice cassandra}: real Cassandra nodes on this machine. */
@NullMarked
package io.sluice.harness.cli.cassandra;

import org.jspecify.annotations.NullMarked;
