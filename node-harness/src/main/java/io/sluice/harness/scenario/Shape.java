package io.sluice.harness.scenario;

import io.sluice.harness.config.ScenarioFile;
import java.util.List;

/**
 * A cluster before anything happens to it. Immutable.
 *
 * @param nodes members, 2 to 120
 * @param replicationFactor replicas of each range, in each data centre if there are several
 * @param dcs names; nodes are dealt out to them in turn
 * @param racks in each data centre; its nodes are dealt out to them in turn
 * @param vnodes tokens of each node: 1, or many random ones
 * @param dataDirectories of each node, 1 to 16, each as a volume of its own
 */
public record Shape(int nodes, int replicationFactor, List<String> dcs, int racks, int vnodes, int dataDirectories) {
    static final int MAX_NODES = ScenarioFile.MAX_NODES;
    private static final List<String> ONE_DC = List.of("datacenter1");

    public Shape {
        dcs = List.copyOf(dcs);
        if (nodes < 2 || nodes > MAX_NODES) {
            throw new IllegalArgumentException("--nodes: " + nodes + " (expected: 2 to " + MAX_NODES
                    + "; one dies, and at least one must be left)");
        }
        if (dcs.stream().distinct().count() < dcs.size() || nodes % dcs.size() != 0) {
            throw new IllegalArgumentException("--dcs: " + dcs + " with " + nodes
                    + " nodes (expected: different names, and as many nodes in each)");
        }
        require("--racks", racks, MAX_NODES);
        require("--vnodes", vnodes, ScenarioFile.MAX_VNODES);
        require("--data-directories", dataDirectories, ScenarioFile.MAX_DATA_DIRECTORIES);
    }

    private static void require(String option, int value, int most) {
        if (value < 1 || value > most) {
            throw new IllegalArgumentException(option + ": " + value + " (expected: 1 to " + most + ")");
        }
    }

    /** One data directory. */
    public Shape(int nodes, int replicationFactor, List<String> dcs, int racks, int vnodes) {
        this(nodes, replicationFactor, dcs, racks, vnodes, 1);
    }

    /** One data centre, one rack, a token for each node. */
    public static Shape simple(int nodes, int replicationFactor) {
        return new Shape(nodes, replicationFactor, ONE_DC, 1, 1);
    }

    /** The same, with so many data directories in each node. */
    public Shape withDataDirectories(int count) {
        return new Shape(nodes, replicationFactor, dcs, racks, vnodes, count);
    }

    int nodesInDc() {
        return nodes / dcs.size();
    }

    void requireReplicas(int least, int most, String why) {
        if (replicationFactor < least || replicationFactor > most) {
            throw new IllegalArgumentException("--replication-factor: " + replicationFactor + " (expected: " + least
                    + " to " + most + ", " + why + ")");
        }
    }
}
