package io.sluice.interop.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.DriverException;
import io.sluice.harness.cassandra.LocalNode;
import io.sluice.harness.cassandra.NodeJmx;
import io.sluice.tools.StartedProcess;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What goes wrong, or changes, while a node is brought its data. */
enum JoinFault {
    NONE("", ""),
    COORDINATOR_KILLED("pinned ", "") {
        @Override
        void strike(JoinTrial trial, LocalNode node, CoordinatorProcess coordinator) throws Exception {
            coordinator.kill();
        }
    },
    AGENT_OF_THE_NODE_KILLED("pinned ", "sluice: ") {
        @Override
        void strike(JoinTrial trial, LocalNode node, CoordinatorProcess coordinator) throws Exception {
            trial.agents().kill(node.number());
        }

        @Override
        LocalNode mend(JoinTrial trial, LocalNode node) throws Exception {
            trial.agents().start(node);
            return node;
        }
    },
    AGENT_OF_A_SOURCE_KILLED("pinned ", "sluice: ") {
        @Override
        void strike(JoinTrial trial, LocalNode node, CoordinatorProcess coordinator) throws Exception {
            trial.agents().kill(JoinTrial.BEHIND);
        }

        @Override
        LocalNode mend(JoinTrial trial, LocalNode node) throws Exception {
            trial.agents().start(trial.nodes().node(JoinTrial.BEHIND));
            return node;
        }
    },
    /** The coordinator, and in turn the agent of the node and that of a source; then the command is run again. */
    KILLED_AT_EACH_STEP("plan: ", "") {
        @Override
        void strike(JoinTrial trial, LocalNode node, CoordinatorProcess coordinator) throws Exception {
            coordinator.kill();
            LocalNode killed = node;
            for (String step : STEPS) {
                CoordinatorProcess again = trial.bring();
                again.awaitSaying(step);
                assertThat(again.said()).contains(step);
                trial.agents().kill(killed.number());
                again.kill();
                trial.agents().start(killed);
                killed = killed == node ? trial.nodes().node(JoinTrial.BEHIND) : node;
            }
        }
    },
    SOURCE_KILLED("pinned ", "sluice: ") {
        @Override
        void strike(JoinTrial trial, LocalNode node, CoordinatorProcess coordinator) throws Exception {
            trial.agents().kill(JoinTrial.BEHIND);
            trial.nodes().node(JoinTrial.BEHIND).kill();
        }

        @Override
        LocalNode mend(JoinTrial trial, LocalNode node) throws Exception {
            LocalNode source = trial.nodes().restart(trial.nodes().node(JoinTrial.BEHIND), JoinTrial.MEMBER);
            source.awaitReady();
            trial.agents().start(source);
            trial.awaitSeen(1, 1, trial.isReplacement() ? 1 : 0);
            return node;
        }
    },
    NODE_KILLED("pinned ", "sluice: ") {
        @Override
        void strike(JoinTrial trial, LocalNode node, CoordinatorProcess coordinator) throws Exception {
            node.kill();
        }

        @Override
        LocalNode mend(JoinTrial trial, LocalNode node) throws Exception {
            trial.agents().kill(node.number());
            LocalNode again = trial.nodes().restart(node, trial.joining(TIMEOUT));
            trial.agents().start(again);
            return again;
        }
    },
    /** When the room has been looked at, and before anything is pinned. */
    DISK_FULL("nodes send writes to ", "(?i)no space left|disk_full|disk is full|room") {
        @Override
        void prepare(JoinTrial trial) throws Exception {
            trial.mountSmallVolume();
        }

        @Override
        void strike(JoinTrial trial, LocalNode node, CoordinatorProcess coordinator) throws Exception {
            StartedProcess.run(List.of(
                    "sh",
                    "-c",
                    "dd if=/dev/zero of=" + filler(node) + " bs=64k 2> /dev/null || true")); // until it is full
        }

        @Override
        LocalNode mend(JoinTrial trial, LocalNode node) throws Exception {
            Files.delete(filler(node));
            return node;
        }

        private Path filler(LocalNode node) {
            return node.data().resolve("filler");
        }
    },
    SOURCE_CORRUPT("", "(?i)checksum|corrupt|CRC") {
        @Override
        void prepare(JoinTrial trial) throws Exception {
            try (NodeJmx jmx = trial.jmx(1)) {
                jmx.invoke(
                        "org.apache.cassandra.db:type=StorageService",
                        "forceKeyspaceFlush",
                        new Object[] {JoinTrial.KEYSPACE, new String[] {"t"}},
                        String.class.getName(),
                        String[].class.getName());
            }
            Files.createLink(damaged(trial), greatest(trial));
            flip(damaged(trial));
        }

        @Override
        LocalNode mend(JoinTrial trial, LocalNode node) throws Exception {
            try (Stream<Path> files = Files.walk(node.data().resolve(JoinTrial.KEYSPACE), 2)) {
                assertThat(files.filter(one -> one.toString().endsWith("-Data.db")))
                        .as("imported")
                        .isEmpty();
            }
            flip(damaged(trial));
            return node;
        }

        /** A name of the damaged file that stays when it is compacted; the snapshot has the same file. */
        private Path damaged(JoinTrial trial) {
            return trial.nodes().node(1).home().resolve("damaged");
        }

        /** The greatest file of rows of the first node. */
        private Path greatest(JoinTrial trial) throws IOException {
            try (Stream<Path> files = Files.walk(trial.nodes().node(1).data().resolve(JoinTrial.KEYSPACE), 2)) {
                return files.filter(one -> one.toString().endsWith("-Data.db"))
                        .filter(one -> one.toString().contains("/t-"))
                        .max(Comparator.comparingLong(one -> one.toFile().length()))
                        .orElseThrow();
            }
        }

        /** A bit in the middle. */
        private void flip(Path file) throws IOException {
            try (RandomAccessFile data = new RandomAccessFile(file.toFile(), "rw")) {
                long middle = data.length() / 2;
                data.seek(middle);
                int now = data.read();
                data.seek(middle);
                data.write(now ^ 0x10);
            }
        }
    },
    SCHEMA_CHANGED("pinned ", "") {
        @Override
        void strike(JoinTrial trial, LocalNode node, CoordinatorProcess coordinator) throws Exception {
            trial.nodes().cql().execute("ALTER TABLE " + JoinTrial.KEYSPACE + ".t ADD more text");
            assertThatThrownBy(() -> trial.nodes().cql().execute("TRUNCATE " + JoinTrial.KEYSPACE + ".counts"))
                    .as("while a node is down")
                    .isInstanceOfAny(DriverException.class, IOException.class);
        }
    },
    TABLE_DROPPED("pinned ", "brief") {
        @Override
        void prepare(JoinTrial trial) throws Exception {
            trial.create("brief (k text PRIMARY KEY, v text)");
            trial.nodes().cql().execute("INSERT INTO " + JoinTrial.KEYSPACE + ".brief (k, v) VALUES ('a', 'b')");
        }

        @Override
        void strike(JoinTrial trial, LocalNode node, CoordinatorProcess coordinator) throws Exception {
            trial.nodes().cql().execute("DROP TABLE " + JoinTrial.KEYSPACE + ".brief");
        }
    },
    ABORTED("pinned ", "") {
        @Override
        void strike(JoinTrial trial, LocalNode node, CoordinatorProcess coordinator) throws Exception {
            coordinator.kill();
            CoordinatorProcess abort = trial.bring("--abort", "a test");
            assertThat(abort.awaitEnd()).as(abort.said()).isZero();
            node.awaitReady();
            for (int source = 1; source < trial.dead(); source++) {
                assertThat(trial.snapshots(source))
                        .as("snapshots of node " + source)
                        .isEmpty();
            }
        }
    };

    /** Longer than it takes to mend. */
    static final String TIMEOUT = "240s";

    /** What the coordinator says after its plan, in order. */
    private static final List<String> STEPS =
            List.of("send writes to ", "pinned ", ", imported", " ranges marked", "goes on");

    private final String at;
    private final String reason;

    /**
     * Of a kind.
     *
     * @param at what the coordinator says when it happens; empty if before
     * @param reason an expression for what it says when it ends because of that; empty if it goes on, or is killed
     */
    JoinFault(String at, String reason) {
        this.at = at;
        this.reason = reason;
    }

    Optional<String> at() {
        return at.isEmpty() ? Optional.empty() : Optional.of(at);
    }

    Optional<String> reason() {
        return reason.isEmpty() ? Optional.empty() : Optional.of(reason);
    }

    /** Before the node is started. */
    void prepare(JoinTrial trial) throws Exception {
        // Nothing, for most.
    }

    /** It happens. */
    void strike(JoinTrial trial, LocalNode node, CoordinatorProcess coordinator) throws Exception {
        // Nothing, if it has happened before.
    }

    /**
     * What an operator does before the command is run again.
     *
     * @return the node
     */
    LocalNode mend(JoinTrial trial, LocalNode node) throws Exception {
        return node;
    }
}
