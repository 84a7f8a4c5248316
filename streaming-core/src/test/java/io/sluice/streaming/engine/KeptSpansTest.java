package io.sluice.streaming.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.token.Token;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.memory.MemoryPool;
import io.sluice.streaming.memory.PeerShares;
import io.sluice.streaming.planner.SSTableSpan;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class KeptSpansTest {
    private static final TableRef TABLE = new TableRef(new UUID(1, 1), "ks", "t");
    private static final Node FIRST = node(1);
    private static final Node SECOND = node(2);

    private final MemoryPool pool = new MemoryPool("inventory", 100_000);
    private final KeptSpans kept = new KeptSpans(new PeerShares(pool));

    private static Node node(int port) {
        return new Node(new UUID(0, port), "node" + port, new Address("127.0.0.1", port), List.of(new Token(port)));
    }

    private static List<SSTableSpan> spans(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> new SSTableSpan(new Token(i), new Token(i + 10L), 1_000L + i))
                .toList();
    }

    private void answer(Node source, int count) {
        kept.add(source, kept.charge(source, Map.of(TABLE, spans(count))));
    }

    @Test
    void answers_are_charged_until_the_planning_has_ended() {
        answer(FIRST, 100);
        answer(SECOND, 200);

        assertThat(pool.sample().used()).isEqualTo(2 * 256 + 300 * 24);
        assertThat(kept.all().spans(TABLE, FIRST)).isEqualTo(spans(100));
        assertThat(kept.all().spans(TABLE, SECOND)).isEqualTo(spans(200));

        kept.release();
        kept.release();

        assertThat(pool.sample().used()).isZero();
    }

    @Test
    void an_answer_for_which_there_is_no_memory_is_refused_and_charges_nothing() {
        assertThatThrownBy(() -> answer(FIRST, 5_000))
                .isInstanceOf(StreamException.class)
                .hasMessageStartingWith("keeping the answer of node1")
                .extracting(failure -> ((StreamException) failure).code())
                .isEqualTo(ErrorCode.LIMIT);

        assertThat(pool.sample().used()).isZero();
    }
}
