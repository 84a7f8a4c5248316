package io.sluice.streaming.engine.send;

import io.sluice.streaming.install.Disk;
import io.sluice.streaming.memory.SendingMemory;
import io.sluice.streaming.runtime.ActivityListener;
import io.sluice.streaming.runtime.NodeContext;
import java.util.UUID;
import java.util.function.Predicate;

/**
 * Shared resources and settings of the sending sessions of a node. Immutable; thread-safe.
 *
 * @param files the disk with the live files
 * @param isRemote whether a peer is in another data centre
 * @param sessionsPerPeer concurrent sessions with one peer, at least 1
 * @param activity notified of sessions
 */
public record SendingContext(
        NodeContext node,
        Disk files,
        Pins pins,
        OfferFactory offering,
        SendingMemory memory,
        Predicate<UUID> isRemote,
        int sessionsPerPeer,
        ActivityListener activity) {}
