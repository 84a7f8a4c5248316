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
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/** Which sources send what of a keyspace, by the order and by what they have pinned. Immutable. */
record Sharing(JoinOrder order, PinnedDigests digests, JoinProgress progress) {
    /** Of all sources, or of those that are needed: then digests of all that is pinned are computed. */
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

    private List<Share> needed(TableRef table, List<Piece> pieces, Map<Member, List<Pinned>> pinned)
            throws IOException, InterruptedException {
        Map<Member, List<TokenRange>> held = new TreeMap<>(Comparator.comparing(Member::endpoint));
        pinned.forEach((source, its) -> {
            List<TokenRange> ranges = pieces.stream()
                    .filter(piece -> piece.holders().contains(source.endpoint()))
                    .map(Piece::range)
                    .toList();
            if (of(table, its).isPresent() && !ranges.isEmpty()) {
                held.put(source, ranges);
            }
        });
        if (held.size() == 1) { // nobody to agree with: what it has is needed, and is read once, while it is fetched
            Map.Entry<Member, List<TokenRange>> only =
                    held.entrySet().iterator().next();
            Pinned its =
                    of(table, pinned.getOrDefault(only.getKey(), List.of())).orElseThrow();
            return List.of(new Share(only.getKey(), List.of(its), TokenRanges.of(only.getValue()), Map.of()));
        }
        Map<String, Digests> rows = rows(table, held, pinned);
        Map<String, Map<TokenRange, ContentDigest>> contents = new TreeMap<>();
        rows.forEach((source, found) -> {
            Map<TokenRange, ContentDigest> byRange = new HashMap<>();
            found.ranges().forEach(range -> byRange.put(range.range(), range.content()));
            contents.put(source, byRange);
        });
        Map<String, TokenRanges> needed = Agreement.needed(pieces, contents);
        List<Share> shares = new ArrayList<>();
        for (Map.Entry<Member, List<Pinned>> source : pinned.entrySet()) {
            TokenRanges ranges = needed.getOrDefault(source.getKey().endpoint(), TokenRanges.NONE);
            Optional<Pinned> its = of(table, source.getValue());
            Digests found = rows.get(source.getKey().endpoint());
            if (its.isPresent() && found != null && !ranges.isEmpty()) {
                shares.add(new Share(source.getKey(), List.of(its.get()), ranges, Map.of(table, in(ranges, found))));
            } else if (its.isPresent()) {
                progress.skips(source.getKey(), table);
                progress.say(table + ": " + source.getKey() + " has nothing that others lack, and sends nothing");
            }
        }
        return shares;
    }

    /** Of what each source holds of a table, by endpoint. */
    private Map<String, Digests> rows(
            TableRef table, Map<Member, List<TokenRange>> held, Map<Member, List<Pinned>> pinned)
            throws IOException, InterruptedException {
        List<String> sources = held.keySet().stream().map(Member::endpoint).toList();
        List<Questions.Question<Digests>> questions = new ArrayList<>();
        held.forEach((source, ranges) -> questions.add(() -> digests.rows(
                source, of(table, pinned.getOrDefault(source, List.of())).orElseThrow(), ranges)));
        List<Digests> answers = Questions.all(questions);
        Map<String, Digests> rows = new TreeMap<>();
        for (int i = 0; i < answers.size(); i++) {
            rows.put(sources.get(i), answers.get(i));
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
