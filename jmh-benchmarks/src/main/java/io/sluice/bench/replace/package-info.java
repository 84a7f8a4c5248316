/**
 * The replacement of a dead node by real Cassandra and by Sluice, of the same files, in turns: {@code ./sluice compare
 * --with cassandra --replace}.
 */
@NullMarked
package io.sluice.bench.replace;

import org.jspecify.annotations.NullMarked;
