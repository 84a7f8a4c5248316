package io.sluice.streaming.runtime;

import java.util.UUID;
import java.util.function.Supplier;

/**
 * The seams of the engine for time, threads, network and randomness. Production has one implementation of each part,
 * the simulation another. Immutable; thread-safe.
 *
 * @param loop runs all decisions of the engine
 * @param network connections to peers
 * @param disk runs tasks that may block on the disk, several at once
 * @param installs runs tasks that may block on the database: a slow activation must not delay received files
 * @param ids supplies unique ids
 */
public record Environment(Loop loop, Network network, TaskQueue disk, TaskQueue installs, Supplier<UUID> ids) {}
