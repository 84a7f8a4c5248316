/**
 * Writes while a cluster changes: a coordinator that sends each write to all replicas, also to those that are only
 * becoming ones, a generator of writes, and the proof that nothing of what was acknowledged is missing.
 */
@NullMarked
package io.sluice.harness.load;

import org.jspecify.annotations.NullMarked;
