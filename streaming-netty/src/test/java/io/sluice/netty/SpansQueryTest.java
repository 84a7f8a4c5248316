package io.sluice.netty;

import static io.sluice.tools.Waiting.await;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.engine.receive.SpansRequest;
import io.sluice.streaming.message.Message;
import io.sluice.streaming.planner.SSTableSpan;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A planner asks for as many tables as it likes, on one connection. */
@Timeout(60)
@ExtendWith(LeakCheck.class)
class SpansQueryTest {
    private static final int TABLES = 1_000;

    @TempDir
    Path temp;

    private static Map<TableRef, TokenRanges> wanted(int tables, TokenRanges ranges) {
        Map<TableRef, TokenRanges> wanted = new LinkedHashMap<>();
        for (int table = 0; table < tables; table++) {
            wanted.put(TestTables.table(table), ranges);
        }
        return wanted;
    }

    private static void awaitUnpinned(StreamingNode node) throws InterruptedException {
        // pins are released by threads of their own
        await().until(() -> node.pins().open() == 0);
    }

    private static TokenRanges ranges(int count) {
        List<TokenRange> ranges = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ranges.add(TokenRange.of(1000L * i, 1000L * i + 1));
        }
        return TokenRanges.of(ranges);
    }

    @Test
    void a_thousand_tables_are_asked_for_on_one_connection() throws Exception {
        TestTables.store(temp.resolve("source"), 1, 64 << 10);
        Node source = TestTables.node("source");
        try (StreamingNode node = StreamingNode.start(
                        source, StreamOptions.builder().build(), TestTables.store(temp.resolve("source"), TABLES, 0));
                CutProxy proxy = new CutProxy(source.address());
                StreamingNode planner = StreamingNode.start(
                        TestTables.node("planner"),
                        StreamOptions.builder().build(),
                        TestTables.store(temp.resolve("planner"), 1, 0))) {
            Node known = TestTables.node(source.id(), "source", proxy.address().port());

            Map<TableRef, List<SSTableSpan>> spans =
                    planner.spans(known, wanted(TABLES, TokenRanges.FULL)).get(50, SECONDS);

            assertThat(spans).hasSize(TABLES);
            assertThat(spans.get(TestTables.table(0))).hasSize(2);
            assertThat(spans.get(TestTables.table(999))).isEmpty();
            assertThat(proxy.passed()).as("one connection, both ways").hasSize(2);
            awaitUnpinned(node);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_store_may_list_more_than_it_was_asked_for(boolean isInspected) throws Exception {
        Node source = TestTables.node("source");
        DirectoryStore store = TestTables.store(temp.resolve("source"), 1, 64 << 10);
        store.isInspected = isInspected;
        store.listsAll = true;
        try (StreamingNode node =
                        StreamingNode.start(source, StreamOptions.builder().build(), store);
                StreamingNode planner = StreamingNode.start(
                        TestTables.node("planner"),
                        StreamOptions.builder().build(),
                        TestTables.store(temp.resolve("planner"), 1, 0))) {
            List<SSTableSpan> all = spans(planner, source, TokenRanges.FULL);
            SSTableSpan first = Collections.min(
                    all, Comparator.comparing(span -> span.first().value()));
            long token = first.first().value();

            assertThat(all).hasSize(2);
            assertThat(spans(planner, source, TokenRanges.of(TokenRange.of(token - 1, token))))
                    .containsExactly(first);
            awaitUnpinned(node);
        }
    }

    private static List<SSTableSpan> spans(StreamingNode planner, Node source, TokenRanges ranges) throws Exception {
        return planner.spans(source, wanted(1, ranges)).get(20, SECONDS).getOrDefault(TestTables.table(0), List.of());
    }

    @Test
    void a_table_that_the_source_does_not_know_fails_the_query_with_its_code() throws Exception {
        Node source = TestTables.node("source");
        try (StreamingNode node = StreamingNode.start(
                        source, StreamOptions.builder().build(), TestTables.store(temp.resolve("source"), 1, 0));
                StreamingNode planner = StreamingNode.start(
                        TestTables.node("planner"),
                        StreamOptions.builder().build(),
                        TestTables.store(temp.resolve("planner"), 1, 0))) {
            assertThatThrownBy(() ->
                            planner.spans(source, wanted(2, TokenRanges.FULL)).get(20, SECONDS))
                    .hasMessageContaining("source refused the query: table "
                            + TestTables.table(1).id() + " is not known here");
            awaitUnpinned(node);
        }
    }

    @Test
    void a_planner_that_does_not_wait_for_its_answer_is_not_answered() throws Exception {
        Node source = TestTables.node("source");
        try (StreamingNode node = StreamingNode.start(
                        source, StreamOptions.builder().build(), TestTables.store(temp.resolve("source"), 500, 0));
                RawPeer planner =
                        RawPeer.welcome(source, UUID.randomUUID(), Message.Role.QUERY, UUID.randomUUID(), 0, 0)) {
            Message query = SpansRequest.pages(wanted(500, TokenRanges.FULL)).get(0);
            planner.send(query);
            planner.send(query);

            assertThat(planner.end()).as("said on the way").isEmpty();
            awaitUnpinned(node);
        }
    }

    @Test
    @Tag("full")
    void an_answer_that_is_longer_than_a_page_comes_in_several() throws Exception {
        Node source = TestTables.node("source");
        DirectoryStore store = TestTables.store(temp.resolve("source"), 3, 64 << 10);
        store.copies = 6_000;
        try (StreamingNode node =
                        StreamingNode.start(source, StreamOptions.builder().build(), store);
                StreamingNode planner = StreamingNode.start(
                        TestTables.node("planner"),
                        StreamOptions.builder().build(),
                        TestTables.store(temp.resolve("planner"), 1, 0))) {
            Map<TableRef, List<SSTableSpan>> spans =
                    planner.spans(source, wanted(3, TokenRanges.FULL)).get(50, SECONDS);

            assertThat(spans.values()).extracting(List::size).containsExactly(12_000, 12_000, 12_000);
            assertThat(spans.getOrDefault(TestTables.table(2), List.of()).stream()
                            .distinct())
                    .hasSize(2);
            awaitUnpinned(node);
        }
    }

    @Test
    void a_query_is_cut_into_pages_that_fit_into_a_message() {
        assertThat(SpansRequest.pages(wanted(TABLES, ranges(1))))
                .extracting(page -> page.tables().size())
                .containsExactly(500, 500);
        assertThat(SpansRequest.pages(wanted(7, ranges(10_000))))
                .extracting(page -> page.tables().size())
                .containsExactly(3, 3, 1);
        assertThat(SpansRequest.pages(wanted(1, ranges(30_000)))).hasSize(1);
        assertThatThrownBy(() -> SpansRequest.pages(wanted(1, ranges(30_001))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ks.t0: 30001 ranges (expected: at most 30000 of a table)");
    }
}
