package io.sluice.harness.agent;

import java.util.Arrays;
import java.util.List;

/** What the hook of a node does, by the names of its MXBean. */
public enum HookState {
    /** The node has not asked for data yet. */
    IDLE,
    /** The node waits for data. */
    HOLDING,
    /** The node has continued. */
    LET_GO;

    /**
     * Reads the name that a hook reports.
     *
     * @throws IllegalStateException if there is no such state
     */
    static HookState of(String name) {
        return Arrays.stream(values())
                .filter(state -> state.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("state of the hook: " + name + " (expected: one of "
                        + List.of(values()) + "); run the hook and the agent of one release of Sluice"));
    }
}
