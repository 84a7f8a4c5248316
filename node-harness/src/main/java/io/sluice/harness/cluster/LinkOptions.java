package io.sluice.harness.cluster;

import java.util.Optional;

/**
 * How nodes are connected. Immutable.
 *
 * @param areEncrypted whether they speak TLS with each other
 * @param areNamespaces whether each lives in a network namespace of its own; needs root on Linux
 * @param bytesPerSecond of each namespace's cable, in each direction; empty for no limit
 */
public record LinkOptions(boolean areEncrypted, boolean areNamespaces, Optional<Long> bytesPerSecond) {
    /** In plain text over loopback addresses. */
    public static final LinkOptions PLAIN = new LinkOptions(false, false, Optional.empty());

    public LinkOptions {
        if (bytesPerSecond.isPresent() && (!areNamespaces || bytesPerSecond.get() < 1)) {
            throw new IllegalArgumentException("link_rate: " + bytesPerSecond.get()
                    + " (expected: more than 0, and 'namespaces: true'; else see throughput)");
        }
    }
}
