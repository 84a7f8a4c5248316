package io.sluice.harness.cli;

import static io.sluice.tools.StartedProcess.TIMEOUT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cassandra.net.CassandraLinks;
import io.sluice.cassandra.net.Links;
import io.sluice.cassandra.receive.Pull;
import io.sluice.cassandra.receive.PullFromAll;
import io.sluice.cassandra.ring.CassandraNode;
import io.sluice.cassandra.ring.ClusterView;
import io.sluice.cassandra.ring.LiveTable;
import io.sluice.harness.config.ConfigException;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.tools.StartedProcess;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Ctrl-C of a pull, in a process of its own: it says what became of the data. And what cannot be pulled. */
@Timeout(120)
class PullCommandTest {
    private static final String ASKED = "the node is asked";
    private static final String TABLE = "users-00000000000000010000000000000001";

    @TempDir
    Path target;

    /** Pulls from a node that agrees on a version, and sends nothing. */
    static final class PullFromSilentNode {
        private static final int PROBE_AND_CONTROL = 2;

        private PullFromSilentNode() {}

        public static void main(String[] arguments) throws Exception {
            Path folder = Path.of(arguments[1], "shop", TABLE);
            AtomicInteger connections = new AtomicInteger();
            Duration timeout = Duration.ofMinutes(2);
            try (CassandraLinks links = CassandraLinks.create(Optional.empty(), 1, timeout);
                    Links.OpenPort silent = links.listen(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                            link -> {
                                if (connections.incrementAndGet() == PROBE_AND_CONTROL) {
                                    System.out.println(ASKED);
                                    waitForEver();
                                }
                            },
                            (peer, reason) -> System.out.println(reason))) {
                var node = new CassandraNode(new UUID(2, 2), silent.address(), "dc1", "5.0.9");
                var id = new UUID(1, 1);
                if (arguments[0].equals("from all")) {
                    var view = new ClusterView("c", "shop", "v", Map.of(node, TokenRanges.FULL), List.of(), Map.of());
                    var all = new PullFromAll.Order(view, "users", id, folder, timeout);
                    PullCommand.run(new PullFromAll(all, links), folder, System.out);
                } else {
                    var one = new Pull.Order(silent.address(), "shop", "users", id, TokenRanges.FULL, folder, timeout);
                    PullCommand.run(new Pull(one, links), one, node, System.out);
                }
            }
        }

        private static void waitForEver() {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Test
    void ctrl_c_names_no_parts_where_no_other_node_gave_any() throws Exception {
        try (StartedProcess pull = cancelled("from all")) {
            assertThat(pull.awaitExit(TIMEOUT)).isEqualTo(5);
            assertThat(pull.lines())
                    .anyMatch(line -> line.matches("sluice: .*: cancelled"))
                    .contains(
                            "sluice: " + target.resolve("shop").resolve(TABLE) + " was not made, and nothing was kept");
            assertThat(target.resolve("shop").resolve(TABLE + ".parts")).doesNotExist();
        }
    }

    @Test
    void ctrl_c_of_a_pull_from_one_node_says_that_there_is_nothing() throws Exception {
        try (StartedProcess pull = cancelled("from one")) {
            assertThat(pull.awaitExit(TIMEOUT)).isEqualTo(5);
            assertThat(pull.lines())
                    .contains("sluice: cancelled; " + target.resolve("shop").resolve(TABLE) + " was not made");
        }
    }

    @Test
    void a_view_is_not_pulled_and_its_base_table_is_named() {
        var users = new LiveTable("shop", "users", new UUID(1, 1), "", List.of());
        var view = new ClusterView("c", "shop", "v", Map.of(), List.of(users), Map.of("users_by_mail", "users"));

        assertThat(PullCommand.table(view, "users")).isEqualTo(users);
        assertThatThrownBy(() -> PullCommand.table(view, "users_by_mail"))
                .isInstanceOf(ConfigException.class)
                .hasMessage(
                        "--table users_by_mail: is a materialized view (expected: a table; pull its base table users)");
        assertThatThrownBy(() -> PullCommand.table(view, "user"))
                .isInstanceOf(ConfigException.class)
                .hasMessage("--table user: shop has no such table (expected: one of [users])");
    }

    private StartedProcess cancelled(String how) throws Exception {
        StartedProcess pull = StartedProcess.java(List.of(), PullFromSilentNode.class, how, target);
        pull.awaitLine(ASKED);
        pull.signal("TERM"); // which ends a virtual machine as Ctrl-C does
        return pull;
    }
}
