package io.sluice.harness.cluster;

import io.sluice.sstable.encoding.OwnerOnly;
import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The folder of one node of a run: data, configuration, logs. Immutable. */
public record NodeHome(Path root) {
    private static final String DATA = "data";

    public static NodeHome of(Path workDirectory, Node node) {
        return new NodeHome(workDirectory.resolve(node.name()));
    }

    /** The data directory of a node that has only one. */
    public Path data() {
        return root.resolve(DATA);
    }

    /**
     * Its data directories, each with a folder for each keyspace: {@code data1}, {@code data2} and so on if several
     * were {@link #makeData created}, otherwise {@link #data}.
     */
    public List<Path> dataDirectories() {
        List<Path> several = new ArrayList<>();
        for (int number = 1; Files.isDirectory(numbered(number)); number++) {
            several.add(numbered(number));
        }
        return several.isEmpty() ? List.of(data()) : List.copyOf(several);
    }

    /** Creates so many data directories. */
    public void makeData(int count) throws IOException {
        if (count == 1) {
            OwnerOnly.createDirectories(data());
            return;
        }
        for (int number = 1; number <= count; number++) {
            OwnerOnly.createDirectories(numbered(number));
        }
    }

    private Path numbered(int number) {
        return root.resolve(DATA + number);
    }

    public Path logs() {
        return root.resolve("logs");
    }

    /**
     * The socket for administrators, if this process cannot reach an address of the node. The system limits its path to
     * 107 bytes: uses the path from the working directory, which nodes share with this process, if that is shorter.
     */
    Path adminSocket() {
        Path absolute = root.resolve("admin.socket").toAbsolutePath();
        Path relative = Path.of("").toAbsolutePath().relativize(absolute);
        return relative.toString().length() < absolute.toString().length() ? relative : absolute;
    }

    Path config() {
        return root.resolve("sluice.yaml");
    }

    /** The file with the process's own output; empty unless something failed early. */
    Path console() {
        return logs().resolve("console.log");
    }
}
