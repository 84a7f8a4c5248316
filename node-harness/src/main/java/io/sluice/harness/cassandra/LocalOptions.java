package io.sluice.harness.cassandra;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/**
 * What cluster is wanted. Immutable.
 *
 * @param release of all nodes
 * @param nodes 1 to 16, on 127.0.0.1, 127.0.0.2, ...
 * @param tokensPerNode 1 to 256
 * @param cqlPort and {@code storagePort} are the same on each address
 * @param compatibilityMode {@code storage_compatibility_mode} of 5.0; empty for its default
 * @param firstJmxPort where the first node takes JMX on 127.0.0.1, the others one port further each; empty for not at
 *     all
 * @param javaHome of the Java that runs the nodes, 11 or 17; empty for the one of this process, which is 17 then
 * @param extraYaml lines of cassandra.yaml behind ours; {@code {home}} is the folder of the node
 */
public record LocalOptions(
        Release release,
        int nodes,
        int tokensPerNode,
        int cqlPort,
        int storagePort,
        Optional<String> compatibilityMode,
        Optional<Integer> firstJmxPort,
        Optional<Path> javaHome,
        String extraYaml) {
    /** As Cassandra's own default. */
    public static final int DEFAULT_TOKENS = 16;

    public static final int DEFAULT_CQL_PORT = 9042;
    public static final int DEFAULT_STORAGE_PORT = 7000;

    private static final Set<String> COMPATIBILITY_MODES = Set.of("CASSANDRA_4", "UPGRADING", "NONE");
    private static final int MOST_NODES = 16;
    private static final int MOST_TOKENS = 256;
    private static final int MOST_PORT = 65_535;
    private static final long SEED = 1;

    public LocalOptions {
        require("nodes", nodes, MOST_NODES);
        require("tokens", tokensPerNode, MOST_TOKENS);
        require("CQL port", cqlPort, MOST_PORT);
        require("storage port", storagePort, MOST_PORT);
        if (compatibilityMode.isPresent() && release.isBeforeFive()) {
            throw new IllegalArgumentException(
                    "storage compatibility mode: Cassandra " + release + " has none (expected: 5.0)");
        }
    }

    /** One node of {@code release} as it comes. */
    public static LocalOptions of(Release release) {
        return new LocalOptions(
                release,
                1,
                DEFAULT_TOKENS,
                DEFAULT_CQL_PORT,
                DEFAULT_STORAGE_PORT,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                "");
    }

    /** The same with so many tokens for each node. */
    public LocalOptions withTokens(int number) {
        return new LocalOptions(
                release, nodes, number, cqlPort, storagePort, compatibilityMode, firstJmxPort, javaHome, extraYaml);
    }

    /** The same with so many nodes. */
    public LocalOptions withNodes(int number) {
        return new LocalOptions(
                release,
                number,
                tokensPerNode,
                cqlPort,
                storagePort,
                compatibilityMode,
                firstJmxPort,
                javaHome,
                extraYaml);
    }

    /** The same on other ports. */
    public LocalOptions withPorts(int cql, int storage) {
        return new LocalOptions(
                release, nodes, tokensPerNode, cql, storage, compatibilityMode, firstJmxPort, javaHome, extraYaml);
    }

    /**
     * The same in a compatibility mode of 5.0: {@code CASSANDRA_4}, {@code UPGRADING} or {@code NONE}.
     *
     * @throws IllegalArgumentException if {@code mode} is none of these, or the release has none
     */
    public LocalOptions withCompatibility(String mode) {
        if (!COMPATIBILITY_MODES.contains(mode)) {
            throw new IllegalArgumentException(
                    "storage compatibility mode: " + mode + " (expected: CASSANDRA_4, UPGRADING or NONE)");
        }
        return new LocalOptions(
                release,
                nodes,
                tokensPerNode,
                cqlPort,
                storagePort,
                Optional.of(mode),
                firstJmxPort,
                javaHome,
                extraYaml);
    }

    /** The same with more lines of cassandra.yaml. */
    public LocalOptions withYaml(String lines) {
        return new LocalOptions(
                release, nodes, tokensPerNode, cqlPort, storagePort, compatibilityMode, firstJmxPort, javaHome, lines);
    }

    /** The same with JMX on these ports. */
    public LocalOptions withJmx(int port) {
        return new LocalOptions(
                release,
                nodes,
                tokensPerNode,
                cqlPort,
                storagePort,
                compatibilityMode,
                Optional.of(port),
                javaHome,
                extraYaml);
    }

    /** The same run by another Java. */
    public LocalOptions withJava(Path home) {
        return new LocalOptions(
                release,
                nodes,
                tokensPerNode,
                cqlPort,
                storagePort,
                compatibilityMode,
                firstJmxPort,
                Optional.of(home),
                extraYaml);
    }

    private static void require(String what, int value, int greatest) {
        if (value < 1 || value > greatest) {
            throw new IllegalArgumentException(what + ": " + value + " (expected: 1 to " + greatest + ")");
        }
    }

    /** The address of a node. */
    public static String host(int node) {
        return "127.0.0." + node;
    }

    /** Where a node takes CQL; nodes count from 1. */
    public InetSocketAddress cql(int node) {
        return address(node, cqlPort);
    }

    /** The port of 127.0.0.1 at which a node takes JMX, if any; nodes count from 1. */
    public Optional<Integer> jmx(int node) {
        return firstJmxPort.map(first -> first + node - 1);
    }

    /** Where a node takes streams; nodes count from 1. */
    public InetSocketAddress storage(int node) {
        return address(node, storagePort);
    }

    private static InetSocketAddress address(int node, int port) {
        try {
            return new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) node}), port);
        } catch (UnknownHostException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Tokens of each node: evenly spaced over the ring, and dealt out in an order that is always the same. */
    public List<List<Long>> tokens() {
        int all = nodes * tokensPerNode;
        // The ring has 2^64 tokens; one less avoids a long that overflows when there is one token only.
        long step = Long.divideUnsigned(-1L, all);
        List<Long> tokens = new ArrayList<>();
        for (int i = 0; i < all; i++) {
            tokens.add(Long.MIN_VALUE + step / 2 + i * step);
        }
        Collections.shuffle(tokens, new Random(SEED));
        List<List<Long>> dealt = new ArrayList<>();
        for (int i = 0; i < nodes; i++) {
            dealt.add(List.copyOf(tokens.subList(i * tokensPerNode, (i + 1) * tokensPerNode)));
        }
        return dealt;
    }
}
