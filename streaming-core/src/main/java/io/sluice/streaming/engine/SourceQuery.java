package io.sluice.streaming.engine;

import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.RetryPolicy;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.plan.TopologyPlan.Unavailable;
import io.sluice.streaming.planner.SSTableSpan;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.session.Attempts;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.store.TableRef;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.random.RandomGenerator;

/**
 * The questions to one source and its answers: which question is next, which is repeated, and which tables the source
 * cannot answer for. A source refuses a query of many tables if it does not know one of them: the query is halved until
 * that table is alone. Not thread-safe: confined to the loop.
 */
final class SourceQuery {
    /** Maximum number of halvings; a source that refuses more tables is left out. */
    private static final int MOST_CUTS = 64;

    private final Node source;
    private final RetryPolicy policy;
    private final RandomGenerator random;
    private final Queue<Map<TableRef, TokenRanges>> questions = new ArrayDeque<>();
    private final Map<TableRef, List<SSTableSpan>> spans = new HashMap<>();
    private final List<Unavailable> unavailable = new ArrayList<>();
    private Attempts attempts = new Attempts();
    private int cuts;

    SourceQuery(Node source, Map<TableRef, TokenRanges> ranges, RetryPolicy policy, RandomGenerator random) {
        this.source = source;
        this.policy = policy;
        this.random = random;
        this.questions.add(ranges);
    }

    Node source() {
        return source;
    }

    /** The next question; empty if there is none. */
    Optional<Map<TableRef, TokenRanges>> next() {
        return Optional.ofNullable(questions.peek());
    }

    Map<TableRef, List<SSTableSpan>> spans() {
        return spans;
    }

    /** The tables that the source cannot answer for. */
    List<Unavailable> unavailable() {
        return unavailable;
    }

    /** The current question has this answer. */
    void answered(Map<TableRef, List<SSTableSpan>> answer) {
        Map<TableRef, TokenRanges> asked = questions.remove();
        SourceAnswers.require(source, asked, answer);
        spans.putAll(answer);
        attempts = new Attempts();
    }

    /**
     * The current question has failed.
     *
     * @return how long to wait before the next one; empty if the source is left out, or there is no further question
     */
    Optional<Duration> failed(Throwable cause) {
        Failure why = Failure.of(cause);
        Map<TableRef, TokenRanges> asked = Optional.ofNullable(questions.peek()).orElse(Map.of());
        boolean isOfOneTable = why.code() == ErrorCode.UNKNOWN_TABLE || why.code() == ErrorCode.DENIED;
        if (isOfOneTable && asked.size() == 1) {
            questions.remove();
            asked.keySet().forEach(table -> leaveOut(Optional.of(table), why));
            return questions.isEmpty() ? Optional.empty() : Optional.of(Duration.ZERO);
        }
        if (isOfOneTable && cuts++ < MOST_CUTS) {
            questions.remove();
            questions.addAll(halves(asked));
            return Optional.of(Duration.ZERO);
        }
        Optional<Duration> pause = attempts.pause(policy, why.code(), false, random);
        if (pause.isEmpty()) {
            questions.clear();
            spans.clear();
            leaveOut(Optional.empty(), why);
        }
        return pause;
    }

    private void leaveOut(Optional<TableRef> table, Failure why) {
        unavailable.add(new Unavailable(source, table, why.code(), why.reason()));
    }

    private static List<Map<TableRef, TokenRanges>> halves(Map<TableRef, TokenRanges> asked) {
        Map<TableRef, TokenRanges> first = new LinkedHashMap<>();
        Map<TableRef, TokenRanges> second = new LinkedHashMap<>();
        asked.forEach((table, ranges) -> (first.size() < asked.size() / 2 ? first : second).put(table, ranges));
        return List.of(first, second);
    }

    /** The failure of a planning without a source for some range. */
    static StreamException noSource(StreamException why, List<Unavailable> left) {
        StringBuilder text = new StringBuilder(String.valueOf(why.getMessage()));
        for (int i = 0; i < left.size(); i++) {
            text.append(i == 0 ? "; left out: " : ", ").append(left.get(i));
        }
        return new StreamException(why.code(), text.toString(), why);
    }
}
