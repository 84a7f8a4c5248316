package io.sluice.cassandra.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cassandra.net.CassandraLinks;
import io.sluice.cassandra.ring.CassandraNode;
import io.sluice.cassandra.ring.LiveColumns;
import io.sluice.cassandra.ring.LiveTable;
import io.sluice.sstable.data.Column;
import io.sluice.sstable.type.CqlType;
import io.sluice.streaming.StreamException;
import io.sluice.tools.FreePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What a load reports of a delivery that failed, a table that changed meanwhile, and a node that does not answer. */
class BulkLoadTest {
    @Test
    void of_a_delivery_that_was_not_sent_entirely_nothing_is_visible() {
        assertThat(BulkLoad.visible(99, 100)).contains("nothing of it is visible there; load again");
    }

    private static LiveTable table(UUID id, String cql, String... indexes) {
        return new LiveTable("shop", "users", id, cql, List.of(indexes));
    }

    @Test
    void a_table_that_was_altered_meanwhile_is_named() {
        LiveTable before = table(new UUID(1, 1), "CREATE TABLE …");

        assertThat(BulkLoad.change(before, Optional.of(table(new UUID(1, 1), "CREATE TABLE …"))))
                .isEmpty();
        assertThat(BulkLoad.change(before, Optional.of(table(new UUID(1, 1), "CREATE TABLE … less"))))
                .hasValueSatisfying(why -> assertThat(why).startsWith("shop.users was altered"));
        assertThat(BulkLoad.change(before, Optional.of(table(new UUID(1, 1), "CREATE TABLE …", "by_mail"))))
                .hasValueSatisfying(why -> assertThat(why).contains("[by_mail]", "create these again"));
        assertThat(BulkLoad.change(before, Optional.of(table(new UUID(2, 2), "CREATE TABLE …"))))
                .hasValueSatisfying(why -> assertThat(why).contains("was dropped"));
        assertThat(BulkLoad.change(before, Optional.empty()))
                .hasValueSatisfying(why -> assertThat(why).contains("was dropped"));
    }

    private static LiveTable table(String cql, CqlType type) {
        var columns = new LiveColumns(
                List.of(Column.of("id", CqlType.Scalar.INT)),
                List.of(),
                List.of(),
                List.of(Column.of("v", type)),
                Set.of());
        return new LiveTable("shop", "users", new UUID(1, 1), cql, List.of(), Optional.of(columns));
    }

    /** The statements have all types of the keyspace, and options that matter to no file. */
    @Test
    void a_table_whose_columns_are_the_same_was_not_altered() {
        LiveTable before = table("CREATE TABLE … WITH comment = ''", CqlType.Scalar.TEXT);

        assertThat(BulkLoad.change(
                        before,
                        Optional.of(
                                table("CREATE TYPE other …\nCREATE TABLE … WITH comment = 'x'", CqlType.Scalar.TEXT))))
                .isEmpty();
        assertThat(BulkLoad.change(
                        table(new UUID(1, 1), "CREATE TABLE t (…) WITH comment = ''"),
                        Optional.of(table(new UUID(1, 1), "CREATE TABLE t (…) WITH comment = 'x'"))))
                .as("columns are unknown")
                .isEmpty();
        assertThat(BulkLoad.change(before, Optional.of(table(before.cql(), CqlType.Scalar.INT))))
                .hasValueSatisfying(why -> assertThat(why).startsWith("shop.users was altered"));
    }

    @Test
    void of_one_that_was_sent_entirely_it_is_not_known() {
        assertThat(BulkLoad.visible(100, 100)).contains("it is not known what of it is visible there; load again");
    }

    @Test
    void of_a_stack_trace_of_the_node_only_what_is_no_frame_is_reported() {
        String report = """
                org.apache.cassandra.streaming.StreamException: it is over
                \tat org.apache.cassandra.streaming.StreamSession.onError(StreamSession.java:718) ~[cassandra.jar:5.0.9]
                \tat java.base/java.lang.Thread.run(Thread.java:840)
                Caused by: java.lang.RuntimeException: Unknown column b
                \tat org.apache.cassandra.db.SerializationHeader.toHeader(SerializationHeader.java:361)
                \t... 12 more
                """;

        assertThat(BulkLoad.withoutFrames(report))
                .isEqualTo("org.apache.cassandra.streaming.StreamException: it is over; Caused by:"
                        + " java.lang.RuntimeException: Unknown column b");
    }

    @Test
    void a_report_of_the_node_has_a_bounded_length() {
        assertThat(BulkLoad.withoutFrames("at a loss: " + "x".repeat(3000)))
                .startsWith("at a loss: x")
                .endsWith("x…")
                .hasSizeLessThan(600);
    }

    private static void askVersion(InetSocketAddress address) throws IOException {
        var node = new CassandraNode(new UUID(1, 1), address, "dc1", "5.0.9");
        try (CassandraLinks links = CassandraLinks.create(Optional.empty(), 1, Duration.ofSeconds(30))) {
            BulkLoad.agreedVersion(node, links);
        }
    }

    @Test
    void of_a_node_that_is_down_it_is_said_that_a_load_can_do_without() throws IOException {
        var down = new InetSocketAddress(InetAddress.getLoopbackAddress(), FreePort.onLoopback());

        assertThatThrownBy(() -> askVersion(down))
                .isInstanceOf(StreamException.class)
                .hasMessageEndingWith("(start it, or load without it: --ignore 127.0.0.1)");
    }

    /** As one that wants TLS does, or another certificate of ours. */
    @Test
    void a_node_that_closes_the_connection_is_not_said_to_be_down() throws Exception {
        try (ServerSocket node = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread closing = new Thread(() -> {
                try {
                    node.accept().close();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            closing.start();

            assertThatThrownBy(() -> askVersion((InetSocketAddress) node.getLocalSocketAddress()))
                    .isInstanceOf(StreamException.class)
                    .hasMessageNotContaining("--ignore");
            closing.join();
        }
    }
}
