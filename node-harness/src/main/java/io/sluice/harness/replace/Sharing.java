package io.sluice.harness.replace;

import io.sluice.harness.agent.AgentMessages.Digests;
import io.sluice.harness.agent.AgentMessages.Pinned;
import io.sluice.harness.content.RangeDigest;
import io.sluice.harness.replace.Agreement.Piece;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Which sources send what of a keyspace, by the order and by what they have pinned. Immutable. */
record Sharing(JoinOrder order, PinnedDigests digests, JoinProgress progress) {
    /** Of all sources, or of those that are needed: then digests of what several have pinned are computed. */
    List<Share> shares(JoinPlan plan, Map<Member, List<Pinned>> pinned) throws IOException, InterruptedException {
        Map<Member, List<Pinned>> some = new TreeMap<>(Comparator.comparing(Member::endpoint));
        pinned.forEach((source, tables) -> some.put(
                source,
                tables.stream()
                        .filter(table -> table.table().keyspace().equals(plan.keyspace()) && table.sstables() > 0)
                        .toList()));
        some.values().removeIf(List::isEmpty);
        return order.from() == JoinOrder.From.NEEDED ? needed(plan, some) : all(plan, some);
    }

    private static List<Share> all(JoinPlan plan, Map<Member, List<Pinned>> pinned) {
        List<Share> shares = new ArrayList<>();
        pinned.forEach((source, tables) -> {
            TokenRanges ranges = plan.bySource().getOrDefault(source.endpoint(), TokenRanges.NONE);
            if (!ranges.isEmpty()) {
                shares.add(new Share(source, tables, ranges, Map.of()));
            }
        });
        return shares;
    }

    /** What is alike of many tables of a source is one share, so that it is fetched at once. */
    private List<Share> needed(JoinPlan plan, Map<Member, List<Pinned>> pinned)
            throws IOException, InterruptedException {
        List<Piece> pieces = Agreement.pieces(plan);
        Map<String, Map<TokenRanges, Share>> shares = new TreeMap<>();
        TreeSet<TableRef> tables =
                new TreeSet<>(Comparator.comparing(TableRef::toString).thenComparing(TableRef::id));
        pinned.values().forEach(some -> some.forEach(one -> tables.add(one.table())));
        for (TableRef table : tables) {
            for (Share share : needed(table, pieces, pinned)) {
                shares.computeIfAbsent(share.source().endpoint(), key -> new LinkedHashMap<>())
                        .merge(share.ranges(), share, Sharing::both);
            }
        }
        return shares.values().stream()
                .flatMap(ofSource -> ofSource.values().stream())
                .toList();
    }

    private static Share both(Share one, Share other) {
        List<Pinned> pinned = new ArrayList<>(one.pinned());
        pinned.addAll(other.pinned());
        Map<TableRef, Digests> known = new HashMap<>(one.known());
        known.putAll(other.known());
        return new Share(one.source(), pinned, one.ranges(), known);
    }

    /**
     * What one source alone has is needed, and is read once, while it is fetched: only of the rest rows are compared.
     */
    private List<Share> needed(TableRef table, List<Piece> pieces, Map<Member, List<Pinned>> pinned)
            throws IOException, InterruptedException {
        Map<String, Member> having = new TreeMap<>();
        pinned.forEach((source, its) -> of(table, its).ifPresent(one -> having.put(source.endpoint(), source)));
        List<Piece> held = Agreement.heldBy(having.keySet(), pieces);
        List<Piece> compared =
                held.stream().filter(piece -> piece.holders().size() > 1).toList();
        Map<String, Digests> rows = rows(table, compared, having, pinned);
        Map<String, Map<TokenRange, ContentDigest>> contents = new TreeMap<>();
        rows.forEach((source, found) -> {
            Map<TokenRange, ContentDigest> byRange = new HashMap<>();
            found.ranges().forEach(range -> byRange.put(range.range(), range.content()));
            contents.put(source, byRange);
        });
        Map<String, TokenRanges> needed = Agreement.needed(held, contents);
        List<Share> shares = new ArrayList<>();
        having.forEach((endpoint, source) -> {
            Pinned its = of(table, pinned.getOrDefault(source, List.of())).orElseThrow();
            TokenRanges ranges = needed.getOrDefault(endpoint, TokenRanges.NONE);
            if (ranges.isEmpty()) {
                progress.skips(source, table);
                progress.say(table + ": " + source + " has nothing that others lack, and sends nothing");
            } else {
                shares.add(new Share(source, List.of(its), ranges, known(table, ranges, rows.get(endpoint))));
            }
        });
        return shares;
    }

    /** Digests of each range of a share; none if rows of some were not read. */
    private static Map<TableRef, Digests> known(TableRef table, TokenRanges ranges, @Nullable Digests found) {
        if (found == null) {
            return Map.of();
        }
        TokenRanges read =
                TokenRanges.of(found.ranges().stream().map(RangeDigest::range).toList());
        return ranges.minus(read).isEmpty() ? Map.of(table, in(ranges, found)) : Map.of();
    }

    /** Of these parts of a table, by endpoint. */
    private Map<String, Digests> rows(
            TableRef table, List<Piece> compared, Map<String, Member> having, Map<Member, List<Pinned>> pinned)
            throws IOException, InterruptedException {
        Map<String, List<TokenRange>> ranges = new TreeMap<>();
        for (Piece piece : compared) {
            for (String holder : piece.holders()) {
                ranges.computeIfAbsent(holder, key -> new ArrayList<>()).add(piece.range());
            }
        }
        List<Questions.Question<Digests>> questions = new ArrayList<>();
        ranges.forEach((endpoint, asked) -> {
            Member source = Objects.requireNonNull(having.get(endpoint));
            Pinned its = of(table, pinned.getOrDefault(source, List.of())).orElseThrow();
            questions.add(() -> digests.rows(source, its, asked));
        });
        List<Digests> answers = Questions.all(questions);
        Map<String, Digests> rows = new TreeMap<>();
        for (String endpoint : ranges.keySet()) {
            rows.put(endpoint, answers.get(rows.size()));
        }
        return rows;
    }

    private static Optional<Pinned> of(TableRef table, List<Pinned> pinned) {
        return pinned.stream().filter(one -> one.table().equals(table)).findFirst();
    }

    /** Digests of parts that are next to each other add up; each part is in one of the ranges, or in none. */
    static Digests in(TokenRanges ranges, Digests found) {
        NavigableMap<Long, ContentDigest> sums = new TreeMap<>();
        ranges.ranges().forEach(range -> sums.put(range.start().value(), ContentDigest.EMPTY));
        for (RangeDigest part : found.ranges()) {
            long start = part.range().start().value();
            if (ranges.contains(new Token(start + 1))) {
                sums.merge(sums.floorKey(start), part.content(), ContentDigest::plus);
            }
        }
        List<RangeDigest> summed = ranges.ranges().stream()
                .map(range ->
                        new RangeDigest(range, sums.getOrDefault(range.start().value(), ContentDigest.EMPTY)))
                .toList();
        return new Digests(summed, found.sstables(), found.bytes());
    }
}
