package io.sluice.cassandra.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cassandra.ring.LiveTable;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What a load reports of a delivery that failed, and of a table that changed meanwhile. */
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
}
