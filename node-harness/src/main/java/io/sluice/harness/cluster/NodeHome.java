package io.sluice.harness.cluster;

import io.sluice.streaming.ring.Node;
import java.nio.file.Path;

/** The folder of one node of a run: its data, its configuration, its logs. Immutable. */
public record NodeHome(Path root) {
    public static NodeHome of(Path workDirectory, Node node) {
        return new NodeHome(workDirectory.resolve(node.name()));
    }

    /** Holds a folder for each keyspace. */
    public Path data() {
        return root.resolve("data");
    }

    public Path logs() {
        return root.resolve("logs");
    }

    Path config() {
        return root.resolve("sluice.yaml");
    }

    /** What the process printed itself; empty unless something went wrong early. */
    Path console() {
        return logs().resolve("console.log");
    }
}
