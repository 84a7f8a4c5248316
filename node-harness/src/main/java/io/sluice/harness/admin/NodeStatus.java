package io.sluice.harness.admin;

import io.sluice.streaming.ring.Node;
import java.util.List;

/**
 * A node that is up. Immutable.
 *
 * @param transport how its engine moves bytes: {@code epoll} or {@code nio}
 */
public record NodeStatus(Node node, String transport, List<TableStatus> tables) {
    public NodeStatus {
        tables = List.copyOf(tables);
    }
}
