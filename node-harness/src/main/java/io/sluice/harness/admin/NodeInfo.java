package io.sluice.harness.admin;

import io.sluice.streaming.ring.Node;
import java.util.List;

/**
 * A node that is up. Immutable.
 *
 * @param transport how its engine moves bytes: {@code epoll} or {@code nio}
 */
public record NodeInfo(Node node, String transport, List<TableStatus> tables) {
    public NodeInfo {
        tables = List.copyOf(tables);
    }
}
