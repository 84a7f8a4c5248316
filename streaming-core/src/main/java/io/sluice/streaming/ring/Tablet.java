package io.sluice.streaming.ring;

import io.sluice.sstable.token.Token;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.UUID;

/**
 * A part of one table that moves as one: the tokens after the tablet before it, up to and including {@code last}.
 * Immutable.
 *
 * @param replicas ids of the nodes that hold it, the leader first
 * @param pending ids of the nodes that will hold it when a migration in progress is done; else the same as
 *     {@code replicas}
 */
public record Tablet(Token last, List<UUID> replicas, List<UUID> pending) {
    public Tablet {
        replicas = distinct(replicas);
        pending = distinct(pending);
    }

    /** A tablet that does not migrate. */
    public Tablet(Token last, List<UUID> replicas) {
        this(last, replicas, replicas);
    }

    /** The tablet after its migration. */
    Tablet settled() {
        return new Tablet(last, pending);
    }

    /** The tablet with {@code substitute} in the place of {@code replaced}. */
    Tablet substitute(UUID replaced, UUID substitute) {
        return new Tablet(last, swap(replicas, replaced, substitute), swap(pending, replaced, substitute));
    }

    private static List<UUID> swap(List<UUID> ids, UUID replaced, UUID substitute) {
        return ids.stream().map(id -> id.equals(replaced) ? substitute : id).toList();
    }

    private static List<UUID> distinct(List<UUID> ids) {
        if (ids.isEmpty() || new LinkedHashSet<>(ids).size() != ids.size()) {
            throw new IllegalArgumentException("tablet: replicas " + ids + " (expected: distinct, at least one)");
        }
        return List.copyOf(ids);
    }
}
