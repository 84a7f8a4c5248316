package io.sluice.harness.agent;

import java.util.Optional;
import java.util.UUID;

/**
 * Which coordinator may order what changes received data: the newest that has begun here. An older one may still run,
 * and does not know that what it has verified was removed. Thread-safe.
 */
final class CoordinatorFence {
    private volatile Optional<UUID> newest = Optional.empty();

    /** From now on only this one may. */
    void begin(UUID coordinator) {
        newest = Optional.of(coordinator);
    }

    /**
     * Checks that an order is from the newest.
     *
     * @throws IllegalArgumentException if it is not, or nobody has begun since this agent started
     */
    void require(UUID coordinator) {
        Optional<UUID> now = newest;
        if (now.isEmpty()) {
            throw new IllegalArgumentException("coordinator " + coordinator
                    + " has not begun at this agent since it started (run the command again)");
        }
        if (!now.get().equals(coordinator)) {
            throw new IllegalArgumentException("coordinator " + coordinator + " is not the newest at this agent: "
                    + now.get() + " began after it (expected: one at a time; let the newest end, and run the command"
                    + " again)");
        }
    }
}
