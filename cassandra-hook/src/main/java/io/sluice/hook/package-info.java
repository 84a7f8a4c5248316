/**
 * Makes a Cassandra node that joins or rebuilds wait before it requests data from other nodes, so that an agent beside
 * it can bring the data: the agent reads Cassandra's plan, brings the data, marks the ranges as available, and lets the
 * node continue. Cassandra streams the ranges that are not marked by itself.
 *
 * <p>{@link io.sluice.hook.HookAgent} inserts a call to {@link io.sluice.hook.Hook} into one method when its class is
 * loaded; {@link io.sluice.hook.BootstrapHold} decides; the agent talks to {@link io.sluice.hook.HookMXBean}.
 */
@NullMarked
package io.sluice.hook;

import org.jspecify.annotations.NullMarked;
