package io.sluice.harness.replace;

import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Which replicas have to send which ranges of a table, so that the union of all is brought: where what they have pinned
 * is the same, one of them. Pure.
 */
final class Agreement {
    private Agreement() {}

    /**
     * A part of the ring.
     *
     * @param holders all that might send it; first the one that Cassandra has chosen
     */
    record Piece(TokenRange range, List<String> holders) {
        Piece {
            holders = List.copyOf(holders);
        }
    }

    /** What a plan brings, in Cassandra's ranges, cut where the replicas change: one row alone differs in its own. */
    static List<Piece> pieces(JoinPlan plan) {
        Map<List<String>, TokenRanges> byHolders = new LinkedHashMap<>();
        plan.chosen().forEach((chosen, ranges) -> byHolders.merge(List.of(chosen), ranges, TokenRanges::union));
        new TreeMap<>(plan.bySource()).forEach((source, ranges) -> {
            for (Map.Entry<List<String>, TokenRanges> known : List.copyOf(byHolders.entrySet())) {
                TokenRanges common = known.getValue().intersection(ranges);
                if (!known.getKey().contains(source) && !common.isEmpty()) {
                    List<String> more = new ArrayList<>(known.getKey());
                    more.add(source);
                    byHolders.merge(known.getKey(), known.getValue(), (all, same) -> all.minus(common));
                    byHolders.merge(more, common, TokenRanges::union);
                }
            }
        });
        List<Piece> pieces = new ArrayList<>();
        for (String planned : plan.ranges()) {
            TokenRanges range = TokenRanges.of(JoinPlan.parse(planned));
            byHolders.forEach((holders, held) ->
                    range.intersection(held).ranges().forEach(part -> pieces.add(new Piece(part, holders))));
        }
        return pieces;
    }

    /** The parts that some of these sources hold, without the other holders. */
    static List<Piece> heldBy(Set<String> sources, List<Piece> pieces) {
        return pieces.stream()
                .map(piece -> new Piece(
                        piece.range(),
                        piece.holders().stream().filter(sources::contains).toList()))
                .filter(piece -> !piece.holders().isEmpty())
                .toList();
    }

    /**
     * Who has to send: of each part one holder of each content; none that has nothing, unless all have nothing.
     *
     * @param contents by endpoint, of each part that it holds; without an entry it has nothing
     */
    static Map<String, TokenRanges> needed(List<Piece> pieces, Map<String, Map<TokenRange, ContentDigest>> contents) {
        Map<String, List<TokenRange>> needed = new TreeMap<>();
        for (Piece piece : pieces) {
            for (String sender : senders(piece, contents)) {
                needed.computeIfAbsent(sender, key -> new ArrayList<>()).add(piece.range());
            }
        }
        Map<String, TokenRanges> ranges = new TreeMap<>();
        needed.forEach((sender, list) -> ranges.put(sender, TokenRanges.of(list)));
        return ranges;
    }

    private static List<String> senders(Piece piece, Map<String, Map<TokenRange, ContentDigest>> contents) {
        Set<ContentDigest> known = new HashSet<>(Set.of(ContentDigest.EMPTY));
        List<String> senders = piece.holders().stream()
                .filter(holder -> known.add(
                        contents.getOrDefault(holder, Map.of()).getOrDefault(piece.range(), ContentDigest.EMPTY)))
                .toList();
        return senders.isEmpty() ? piece.holders().subList(0, 1) : senders;
    }
}
