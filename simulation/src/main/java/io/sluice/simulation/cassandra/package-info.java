/**
 * Simulates sessions of the Cassandra dialect: the production driver, its threads in turns and its connections through
 * a simulated network, in virtual time.
 */
@NullMarked
package io.sluice.simulation.cassandra;

import org.jspecify.annotations.NullMarked;
