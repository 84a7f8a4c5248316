/**
 * Writes while a cluster changes: a coordinator that sends each write to all natural and pending replicas, a load
 * generator, and the verification that no acknowledged write is lost.
 */
@NullMarked
package io.sluice.harness.load;

import org.jspecify.annotations.NullMarked;
