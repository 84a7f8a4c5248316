package io.sluice.interop.live;

import io.sluice.harness.cassandra.LocalOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/**
 * What cluster a node is brought its data in. Immutable.
 *
 * @param compaction class of the strategy of all tables
 * @param replicas of all nodes; where there are two datacenters, of those in the first one
 * @param format empty for the default of the release, or {@code NONE} for that of 5.0
 */
record JoinShape(
        String release,
        int nodes,
        int tokens,
        int replicas,
        String compaction,
        Optional<String> format,
        Set<Trait> traits) {
    static final String SECOND_VOLUME = "data2";
    private static final String TWO_VOLUMES =
            "data_file_directories: ['{home}/data', '{home}/" + SECOND_VOLUME + "']\n";

    private static final String YAML = """
            hinted_handoff_enabled: false
            write_request_timeout: 4s
            commitlog_sync_period: 100ms
            """;

    /** What else is special about a cluster. */
    enum Trait {
        /** The node that is brought its data is in a datacenter of its own. */
        SPLIT,
        /** Agents have certificates, and talk TLS. */
        TLS,
        /** Each node has two data directories. */
        VOLUMES
    }

    /** Three nodes and three replicas. */
    static JoinShape of(String release) {
        return new JoinShape(release, 3, 4, 3, "SizeTieredCompactionStrategy", Optional.empty(), Set.of());
    }

    boolean is(Trait trait) {
        return traits.contains(trait);
    }

    String replication() {
        return is(Trait.SPLIT)
                ? "'NetworkTopologyStrategy', 'dc1': " + replicas
                : "'SimpleStrategy', 'replication_factor': " + replicas;
    }

    /** Where each node is. */
    void datacenters(Path folder) throws IOException {
        for (int node = 1; is(Trait.SPLIT) && node <= nodes + 1; node++) {
            Path conf = Files.createDirectories(folder.resolve("node" + node).resolve("conf"));
            Files.writeString(
                    conf.resolve("cassandra-rackdc.properties"),
                    "dc=" + (node <= nodes ? "dc1" : "dc2") + "\nrack=rack1\n");
        }
    }

    LocalOptions of(LocalOptions options, int jmx) {
        LocalOptions wanted = options.withNodes(nodes)
                .withTokens(tokens)
                .withJmx(jmx)
                .withYaml(YAML
                        + (is(Trait.SPLIT) ? "endpoint_snitch: GossipingPropertyFileSnitch\n" : "")
                        + (is(Trait.VOLUMES) ? TWO_VOLUMES : ""));
        return format.map(wanted::withCompatibility).orElse(wanted);
    }
}
