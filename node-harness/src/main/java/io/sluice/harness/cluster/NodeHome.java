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

    /**
     * Where administrators connect if the node has no address that this process reaches. The system takes 107 bytes of
     * a path: that from the working directory, which nodes share with this process, if it is the shorter one.
     */
    Path adminSocket() {
        Path absolute = root.resolve("admin.socket").toAbsolutePath();
        Path relative = Path.of("").toAbsolutePath().relativize(absolute);
        return relative.toString().length() < absolute.toString().length() ? relative : absolute;
    }

    Path config() {
        return root.resolve("sluice.yaml");
    }

    /** What the process printed itself; empty unless something went wrong early. */
    Path console() {
        return logs().resolve("console.log");
    }
}
