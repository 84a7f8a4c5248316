package io.sluice.harness.agent;

import com.google.common.primitives.Ints;
import io.sluice.harness.admin.Refusal;
import io.sluice.harness.config.ConfigException;
import io.sluice.streaming.ring.Address;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/**
 * What an agent needs of a node's cassandra.yaml. Immutable.
 *
 * @param listenAddress address that the node listens on, as a number: that of {@code listen_address} or
 *     {@code listen_interface}
 * @param broadcastAddress the node's address in the ring, as a number: {@code broadcast_address}, or that on which it
 *     listens
 * @param storagePort in the ring
 * @param dataDirectories its {@code data_file_directories}, at least one, absolute; the node makes them at its first
 *     start
 * @param compatibilityMode {@code storage_compatibility_mode} of 5.0; empty for its default
 */
public record CassandraYaml(
        String listenAddress,
        String broadcastAddress,
        int storagePort,
        List<Path> dataDirectories,
        Optional<String> compatibilityMode) {
    private static final int MOST_CODE_POINTS = 1 << 20;
    private static final int DEFAULT_STORAGE_PORT = 7000;
    private static final int MOST_PORT = 65_535;

    public CassandraYaml {
        dataDirectories = List.copyOf(dataDirectories);
    }

    /**
     * Reads the file, and resolves its host names. Only the nodes of the keys above become values: the rest of the file
     * may be large. As in Cassandra, the last one of a key counts.
     *
     * @throws ConfigException naming the file, the key and what is expected; also if a name cannot be resolved
     */
    public static CassandraYaml read(Path file) {
        LoaderOptions limits = new LoaderOptions();
        limits.setCodePointLimit(MOST_CODE_POINTS);
        try (Reader in = Files.newBufferedReader(file)) {
            if (!(new Yaml(new SafeConstructor(limits)).compose(in) instanceof MappingNode settings)) {
                throw new ConfigException(file + ": no settings (expected: a cassandra.yaml)");
            }
            return of(file, keys(settings));
        } catch (YAMLException | IllegalArgumentException e) { // the second of a tag that the library cannot name
            String problem = e.getCause() instanceof CharacterCodingException
                    ? "it is not text in UTF-8"
                    : String.valueOf(e.getMessage());
            throw new ConfigException(file + ": not YAML: " + problem, e);
        } catch (IOException e) {
            throw new ConfigException(Refusal.because(file, e) + " (expected: a cassandra.yaml)", e);
        }
    }

    private static Map<String, Node> keys(MappingNode settings) {
        Map<String, Node> keys = new HashMap<>();
        for (NodeTuple entry : settings.getValue()) {
            if (entry.getKeyNode() instanceof ScalarNode key) {
                keys.put(key.getValue(), entry.getValueNode());
            }
        }
        return keys;
    }

    private static CassandraYaml of(Path file, Map<String, Node> keys) {
        String listen = listen(file, keys);
        return new CassandraYaml(
                listen,
                text(file, keys, "broadcast_address")
                        .map(host -> ListenAddress.ofHost(file + ": broadcast_address", host))
                        .orElse(listen),
                port(file, text(file, keys, "storage_port")),
                directories(file, keys.get("data_file_directories")),
                text(file, keys, "storage_compatibility_mode"));
    }

    private static String listen(Path file, Map<String, Node> keys) {
        Optional<String> address = text(file, keys, "listen_address");
        Optional<String> network = text(file, keys, "listen_interface");
        if (address.isPresent() == network.isPresent()) {
            throw new ConfigException(file + ": "
                    + (address.isPresent() ? "listen_address and listen_interface" : "no listen_address")
                    + " (expected: one of listen_address and listen_interface)");
        }
        return address.map(host -> ListenAddress.ofHost(file + ": listen_address", host))
                .orElseGet(() -> ListenAddress.ofInterface(
                        file + ": listen_interface",
                        network.orElseThrow(),
                        isTrue(file, keys, "listen_interface_prefer_ipv6")));
    }

    private static boolean isTrue(Path file, Map<String, Node> keys, String key) {
        String text = text(file, keys, key).orElse("false");
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "true", "yes", "on" -> true;
            case "false", "no", "off" -> false;
            default -> throw new ConfigException(file + ": " + key + ": " + text + " (expected: true or false)");
        };
    }

    private static Optional<String> text(Path file, Map<String, Node> keys, String key) {
        Node value = keys.get(key);
        if (value == null || value.getTag().equals(Tag.NULL)) {
            return Optional.empty();
        }
        if (!(value instanceof ScalarNode scalar)) {
            throw new ConfigException(file + ": " + key + ": a " + value.getNodeId() + " (expected: a text)");
        }
        return Optional.of(scalar.getValue()).filter(text -> !text.isBlank());
    }

    private static int port(Path file, Optional<String> text) {
        Integer port = text.map(Ints::tryParse).orElse(text.isEmpty() ? DEFAULT_STORAGE_PORT : null);
        if (port == null || port <= 0 || port > MOST_PORT) {
            throw new ConfigException(
                    file + ": storage_port: " + text.orElse("") + " (expected: 1 to " + MOST_PORT + ")");
        }
        return port;
    }

    private static List<Path> directories(Path file, @Nullable Node value) {
        if (!(value instanceof SequenceNode listed) || listed.getValue().isEmpty()) {
            throw new ConfigException(file
                    + ": no data_file_directories (expected: at least one; state the package's default explicitly)");
        }
        return listed.getValue().stream()
                .map(directory -> directory(file, directory))
                .toList();
    }

    private static Path directory(Path file, Node node) {
        try {
            if (node instanceof ScalarNode scalar && !scalar.getValue().isBlank()) {
                return Path.of(scalar.getValue()).toAbsolutePath().normalize();
            }
        } catch (InvalidPathException e) {
            throw new ConfigException(file + ": data_file_directories: " + e.getMessage(), e);
        }
        throw new ConfigException(file + ": data_file_directories: a " + node.getNodeId() + " (expected: a path)");
    }

    /**
     * Checks that its data directories are there, beside a node that runs and has made its own.
     *
     * @throws IOException naming one that is not: of another file, or not mounted
     */
    void requireDataDirectories() throws IOException {
        for (Path directory : dataDirectories) {
            if (!Files.isDirectory(directory)) {
                throw new IOException("data_file_directories: " + directory
                        + ": no such folder, and the node runs (expected: the node's own cassandra.yaml, and its volumes"
                        + " mounted where the agent sees them)");
            }
        }
    }

    /** The node's name in the ring: {@code host:port}. */
    String endpoint() {
        return Address.text(broadcastAddress, storagePort);
    }

    /**
     * How a node that runs differs from these settings, and what to do, as the end of a sentence: it is another node's
     * file, was edited since the node started, or the node has its address from elsewhere. Directories that are not
     * there are left to {@link #requireDataDirectories}.
     *
     * @param directories where the node keeps its data, absolute
     * @param itsEndpoint its name in the ring; empty if it does not know yet
     * @return empty if it does not
     * @throws IOException if a directory cannot be looked at
     */
    Optional<String> difference(List<Path> directories, Optional<String> itsEndpoint) throws IOException {
        for (Path directory : dataDirectories) {
            if (Files.isDirectory(directory) && !isOneOf(directories, directory)) {
                return Optional.of("its data directories are " + directories + ", and cassandra.yaml has " + directory
                        + " (expected: --jmx and --cassandra-yaml of one node, and the file as the node was started)");
            }
        }
        return itsEndpoint
                .filter(its -> !its.equals(endpoint()))
                .map(its -> "it is " + its + " in the ring, and cassandra.yaml has " + endpoint()
                        + " (expected: --jmx and --cassandra-yaml of one node; if it has its address from elsewhere, as"
                        + " its snitch or -Dcassandra.storage_port, a copy of the file with broadcast_address and"
                        + " storage_port as in the ring)");
    }

    /** Whether it is the same folder, maybe by another path. */
    private static boolean isOneOf(List<Path> directories, Path directory) throws IOException {
        for (Path other : directories) {
            if (other.equals(directory) || (Files.exists(other) && Files.isSameFile(other, directory))) {
                return true;
            }
        }
        return false;
    }

    /** Whether a node of 5.0 with these settings reads SSTables of {@code oa} after its next start. */
    public boolean readsOa() {
        return compatibilityMode.filter("NONE"::equals).isPresent();
    }
}
