package io.sluice.streaming.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.RetryPolicy;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.message.ComponentManifest;
import io.sluice.streaming.plan.TopologyPlan.Unavailable;
import io.sluice.streaming.planner.SSTableSpan;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SourceQueryTest {
    private static final Node SOURCE = new Node(new UUID(0, 1), "source", new Address("127.0.0.1", 1), List.of());
    private static final TokenRanges ASKED = TokenRanges.of(TokenRange.of(0, 100), TokenRange.of(200, 300));
    private static final RetryPolicy TWICE = new RetryPolicy(2, 5, Duration.ofMillis(100), Duration.ofSeconds(1));

    private static TableRef table(int number) {
        return new TableRef(new UUID(1, number), "ks", "t" + number);
    }

    private static SourceQuery query(int tables) {
        Map<TableRef, TokenRanges> ranges = new LinkedHashMap<>();
        for (int i = 0; i < tables; i++) {
            ranges.put(table(i), ASKED);
        }
        return new SourceQuery(SOURCE, ranges, TWICE, new SplittableRandom(1));
    }

    private static SSTableSpan span(long first, long last, long bytes) {
        return new SSTableSpan(new Token(first), new Token(last), bytes);
    }

    @Test
    void finds_the_tables_that_a_source_does_not_know_and_asks_for_all_others() {
        SourceQuery query = query(100);
        List<Integer> sizes = new ArrayList<>();

        for (Optional<Map<TableRef, TokenRanges>> next = query.next(); next.isPresent(); next = query.next()) {
            Map<TableRef, TokenRanges> question = next.get();
            sizes.add(question.size());
            if (question.containsKey(table(7)) || question.containsKey(table(70))) {
                assertThat(query.failed(new StreamException(ErrorCode.UNKNOWN_TABLE, "not here"))
                                .orElse(Duration.ZERO))
                        .isZero();
            } else {
                Map<TableRef, List<SSTableSpan>> answer = new LinkedHashMap<>();
                question.keySet().forEach(table -> answer.put(table, List.of(span(1, 50, 7))));
                query.answered(answer);
            }
        }

        assertThat(query.spans()).hasSize(98);
        assertThat(query.unavailable())
                .extracting(Unavailable::table)
                .containsExactlyInAnyOrder(Optional.of(table(7)), Optional.of(table(70)));
        assertThat(sizes).hasSizeLessThan(40);
    }

    @Test
    void a_source_that_refuses_everything_is_left_out_after_a_while() {
        SourceQuery query = query(10_000);
        int asked = 0;

        while (query.next().isPresent()) {
            query.failed(new StreamException(ErrorCode.DENIED, "not you"));
            asked++;
        }

        assertThat(asked).isLessThan(100);
        assertThat(query.spans()).isEmpty();
        assertThat(query.unavailable())
                .last()
                .satisfies(left -> assertThat(left.table()).isEmpty());
    }

    @Test
    void a_source_that_is_lost_is_asked_again_as_often_as_the_policy_says() {
        SourceQuery query = query(1);

        assertThat(query.failed(new StreamException(ErrorCode.PEER_LOST, "gone")))
                .isPresent();
        assertThat(query.next()).isPresent();
        assertThat(query.failed(new StreamException(ErrorCode.PEER_LOST, "gone")))
                .isEmpty();
        assertThat(query.next()).isEmpty();
        assertThat(query.unavailable()).extracting(Unavailable::code).containsExactly(ErrorCode.PEER_LOST);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 50, 1",
        "50, 250, 1",
        "100, 100, 0",
        "300, 400, 1",
        "150, 201, 1",
        "-9223372036854775807, 1, 5",
        "1, 2, 17592186044416"
    })
    void an_answer_about_tokens_that_were_asked_for_is_believed(long first, long last, long bytes) {
        SourceQuery query = query(1);

        query.answered(Map.of(table(0), List.of(span(first, last, bytes))));

        assertThat(query.spans()).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({"101, 200, 1", "-50, 0, 1", "301, 400, 1", "1, 2, 4503599627370497"})
    void an_answer_that_cannot_be_is_not(long first, long last, long bytes) {
        assertThatThrownBy(() -> query(1).answered(Map.of(table(0), List.of(span(first, last, bytes)))))
                .isInstanceOfSatisfying(
                        StreamException.class, lie -> assertThat(lie.code()).isEqualTo(ErrorCode.PROTOCOL))
                .hasMessageStartingWith("source reported an SSTable of ks.t0");
    }

    @Test
    void an_answer_of_more_bytes_than_any_node_has_is_not_believed() {
        Map<TableRef, List<SSTableSpan>> answer = Map.of(
                table(0), Collections.nCopies(256, span(1, 2, ComponentManifest.MAX_LENGTH_BYTES)),
                table(1), List.of(span(1, 2, 1)));

        assertThatThrownBy(() -> query(2).answered(answer))
                .isInstanceOfSatisfying(
                        StreamException.class, lie -> assertThat(lie.code()).isEqualTo(ErrorCode.PROTOCOL))
                .hasMessageContaining("4503599627370496 bytes in all");
    }
}
