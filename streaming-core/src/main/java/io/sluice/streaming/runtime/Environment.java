package io.sluice.streaming.runtime;

import java.util.UUID;
import java.util.function.Supplier;

/**
 * All that the engine of a node knows of time, threads, network and chance. Production has one implementation of each
 * part, the simulation another one. Immutable; thread-safe.
 *
 * @param loop on which the engine decides
 * @param network connections to peers
 * @param disk runs what may wait for the disk, several tasks at once
 * @param installs runs what may wait for the database: a table that goes live slowly must not keep others from landing
 * @param ids new ids, each different from all others
 */
public record Environment(Loop loop, Network network, TaskQueue disk, TaskQueue installs, Supplier<UUID> ids) {}
