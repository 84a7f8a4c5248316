package io.sluice.harness.admin;

import io.sluice.streaming.ring.Node;
import java.util.List;

/**
 * A node that is up. Immutable.
 *
 * @param transport how its engine moves bytes: {@code epoll} or {@code nio}
 */
public record NodeInfo(Node node, String transport, List<TableStatus> tables, List<VolumeStatus> volumes) {
    public NodeInfo {
        volumes = List.copyOf(volumes);
        tables = List.copyOf(tables);
    }
}
