package io.sluice.harness.cluster;

import com.fasterxml.jackson.core.JacksonException;
import io.sluice.harness.json.Json;
import io.sluice.harness.json.JsonTree;
import io.sluice.sstable.encoding.OwnerOnly;
import io.sluice.streaming.ring.Address;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * The admin endpoints of the nodes of a run: a file in the work directory that exists as long as the run. Immutable.
 *
 * @param admin address of the admin endpoint by the name of the node
 */
public record Endpoints(Map<String, Address> admin) {
    private static final String FILE = "endpoints.json";

    public Endpoints {
        admin = Map.copyOf(admin);
    }

    /** Path of the file in a work directory. */
    public static Path file(Path workDirectory) {
        return workDirectory.resolve(FILE);
    }

    /**
     * Reads the file of a run.
     *
     * @throws IOException if it cannot be read, or is not such a file
     */
    public static Endpoints read(Path workDirectory) throws IOException {
        Path file = file(workDirectory);
        try {
            Map<String, Address> admin = new LinkedHashMap<>();
            for (Map.Entry<String, JsonTree> node :
                    JsonTree.read(Files.readString(file)).members().entrySet()) {
                admin.put(node.getKey(), Address.parse(node.getValue().text()));
            }
            return new Endpoints(admin);
        } catch (JacksonException | IllegalArgumentException e) {
            throw new IOException(file + ": not a list of nodes and addresses: " + e.getMessage(), e);
        }
    }

    /** Writes the file atomically: a reader sees either the new or the old content. */
    void write(Path workDirectory) throws IOException {
        Map<String, String> texts = new TreeMap<>();
        admin.forEach((name, address) -> texts.put(name, address.toString()));
        Path temporary = workDirectory.resolve(FILE + ".tmp");
        OwnerOnly.restrict(temporary);
        Json.MAPPER.writeValue(temporary.toFile(), texts);
        Files.move(temporary, file(workDirectory), StandardCopyOption.ATOMIC_MOVE);
    }
}
