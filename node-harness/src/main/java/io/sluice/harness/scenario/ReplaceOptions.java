package io.sluice.harness.scenario;

import io.sluice.harness.load.Consistency;
import io.sluice.harness.report.Bytes;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What to replace a node with, and in what cluster. Immutable.
 *
 * @param nodes members before one of them dies, 2 to 64
 * @param replicationFactor 2 to {@code nodes}: what only the dead node held is lost
 * @param load what is written meanwhile
 */
public record ReplaceOptions(int nodes, int replicationFactor, Dataset dataset, Optional<Load> load) {
    private static final long MIN_GENERATED_BYTES = 1 << 20;

    /** Where the data of the run comes from. */
    public sealed interface Dataset {
        /** SSTables that are there: a data directory, keyspaces in it. */
        record Existing(Path directory) implements Dataset {
            @Override
            public String toString() {
                return directory.toString();
            }
        }

        /** SSTables to be made, of about so many bytes in all. */
        record Generated(long bytes) implements Dataset {
            @Override
            public String toString() {
                return Bytes.text(bytes) + ", generated";
            }
        }
    }

    /** Writes while the cluster changes, 1 to 100,000 a second. */
    public record Load(int writesPerSecond, Consistency consistency) {
        private static final int MAX_RATE = 100_000;

        public Load {
            if (writesPerSecond < 1 || writesPerSecond > MAX_RATE) {
                throw new IllegalArgumentException(
                        "--load: " + writesPerSecond + " writes/s (expected: 1 to " + MAX_RATE + ")");
            }
        }
    }

    /** Without writes. */
    public ReplaceOptions(int nodes, int replicationFactor, Dataset dataset) {
        this(nodes, replicationFactor, dataset, Optional.empty());
    }

    public ReplaceOptions {
        if (nodes < 2 || nodes > ReplaceScenario.MAX_NODES) {
            throw new IllegalArgumentException("--nodes: " + nodes + " (expected: 2 to " + ReplaceScenario.MAX_NODES
                    + "; one dies, and at least one must be left)");
        }
        if (dataset instanceof Dataset.Generated generated && generated.bytes() < MIN_GENERATED_BYTES) {
            throw new IllegalArgumentException("--size: " + generated.bytes() + " bytes (expected: at least "
                    + Bytes.text(MIN_GENERATED_BYTES) + ")");
        }
        if (replicationFactor < 2 || replicationFactor > nodes) {
            throw new IllegalArgumentException("--replication-factor: " + replicationFactor + " (expected: 2 to "
                    + nodes + ", the number of nodes; data without a second replica dies with its node)");
        }
        if (load.isPresent() && replicationFactor != nodes) {
            throw new IllegalArgumentException("--load: needs --replication-factor = --nodes (given: "
                    + replicationFactor + " and " + nodes + "): what is written lies in SSTables of all ranges, and"
                    + " only whole SSTables are streamed");
        }
    }
}
