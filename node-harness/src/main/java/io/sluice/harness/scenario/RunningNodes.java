package io.sluice.harness.scenario;

import io.sluice.harness.cluster.Cluster;
import io.sluice.harness.cluster.NodeHome;
import io.sluice.harness.cluster.NodeProcess;
import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** The nodes of a run by id: those whose processes run, and those that died. Not thread-safe. */
final class RunningNodes {
    private final Cluster cluster;
    private final Path workDirectory;
    private final Map<UUID, NodeProcess> alive = new LinkedHashMap<>();
    private final Map<UUID, Node> dead = new LinkedHashMap<>();

    RunningNodes(Cluster cluster, Path workDirectory) {
        this.cluster = cluster;
        this.workDirectory = workDirectory;
    }

    /** Starts nodes, new ones or dead ones. */
    List<NodeProcess> start(List<Node> nodes) throws IOException, InterruptedException {
        List<NodeProcess> started = cluster.start(nodes);
        started.forEach(process -> {
            alive.put(process.node().id(), process);
            dead.remove(process.node().id());
        });
        return started;
    }

    /** Kills a node for good. */
    void kill(Node node) throws IOException, InterruptedException {
        process(node).kill();
        alive.remove(node.id());
        dead.put(node.id(), node);
    }

    /**
     * Ends a node that is not needed any more, as an operator does.
     *
     * @return the exit code of its process
     */
    int stop(Node node) throws IOException, InterruptedException {
        int code = process(node).stop();
        alive.remove(node.id());
        return code;
    }

    /** What a dead node has left does not matter any more. */
    void forget(Node node) {
        dead.remove(node.id());
    }

    /** The process of a node that runs, or was running when somebody last looked. */
    NodeProcess process(Node node) {
        return find(node).orElseThrow(() -> new IllegalStateException(node + " does not run"));
    }

    Optional<NodeProcess> find(Node node) {
        return Optional.ofNullable(alive.get(node.id()));
    }

    Map<UUID, NodeProcess> alive() {
        return Map.copyOf(alive);
    }

    List<NodeProcess> all() {
        return List.copyOf(alive.values());
    }

    /** Where the dead have left their data. */
    Map<UUID, List<Path>> left() {
        Map<UUID, List<Path>> left = new LinkedHashMap<>();
        dead.forEach((id, node) -> left.put(id, NodeHome.of(workDirectory, node).dataDirectories()));
        return left;
    }
}
