package io.sluice.streaming.plan;

import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.store.TableRef;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Plans the replacement of a dead node: everything that it held is fetched from live replicas, each piece from one of
 * them, so that their bytes are even.
 *
 * <p>A piece is the least that can move without cutting an SSTable: the ring's ranges, cut also at every gap between
 * SSTables, then joined again where an SSTable of any source lies across a cut. Pieces are given out largest first,
 * each to the source with the fewest bytes so far, all tables together. Stateless; the same input gives the same plan.
 */
public final class ReplacePlanner {
    private ReplacePlanner() {}

    /** Tokens from {@code first} to {@code last}, both included, that must come from one source. */
    private record Piece(TableRef table, Token first, Token last, Map<Node, Long> bytesBySource) {
        long mostBytes() {
            return bytesBySource.values().stream()
                    .mapToLong(Long::longValue)
                    .max()
                    .orElse(0);
        }
    }

    /**
     * The plan by which a replacement of {@code dead} gets everything that the dead node held.
     *
     * @param ring with the dead node in it
     * @param spansBySource what each live source holds of each table; who has no entry for a table is no source of it
     * @throws StreamException of code {@link ErrorCode#NO_SOURCE}, naming the range, if a range has no live source
     */
    public static StreamPlan plan(
            UUID planId, Ring ring, Node dead, Map<TableRef, Map<Node, List<SSTableSpan>>> spansBySource) {
        TokenRanges wanted = ring.rangesOf(dead);
        List<Piece> pieces = new ArrayList<>();
        spansBySource.entrySet().stream()
                .sorted(Map.Entry.comparingByKey(
                        Comparator.comparing(TableRef::toString).thenComparing(TableRef::id)))
                .forEach(entry -> pieces.addAll(pieces(entry.getKey(), ring, dead, entry.getValue())));
        pieces.sort(Comparator.comparingLong(Piece::mostBytes).reversed());
        Map<Node, Long> load = new HashMap<>();
        Map<Node, Map<TableRef, List<TokenRange>>> assigned = new TreeMap<>(Comparator.comparing(Node::id));
        for (Piece piece : pieces) {
            Map.Entry<Node, Long> chosen = piece.bytesBySource().entrySet().stream()
                    .min(Comparator.<Map.Entry<Node, Long>>comparingLong(
                                    source -> load.getOrDefault(source.getKey(), 0L) + source.getValue())
                            .thenComparing(source -> source.getKey().id()))
                    .orElseThrow();
            load.merge(chosen.getKey(), chosen.getValue(), Long::sum);
            assigned.computeIfAbsent(chosen.getKey(), node -> new LinkedHashMap<>())
                    .computeIfAbsent(piece.table(), table -> new ArrayList<>())
                    .add(rangeOf(piece));
        }
        List<StreamRequest> requests = new ArrayList<>();
        assigned.forEach((source, tables) -> tables.forEach((table, ranges) -> {
            TokenRanges owned = TokenRanges.of(ranges).intersection(wanted);
            if (!owned.isEmpty()) {
                requests.add(new StreamRequest(source, table, owned));
            }
        }));
        return new StreamPlan(planId, Operation.REPLACE, requests);
    }

    private static TokenRange rangeOf(Piece piece) {
        return TokenRange.of(piece.first().value() - 1, piece.last().value());
    }

    private static List<Piece> pieces(
            TableRef table, Ring ring, Node dead, Map<Node, List<SSTableSpan>> spansOfSources) {
        NavigableMap<Long, Set<Node>> sourcesByStart = new TreeMap<>();
        for (TokenRange range : ring.ranges()) {
            Set<Node> replicas = ring.replicas(range);
            if (replicas.contains(dead)) {
                Set<Node> live =
                        replicas.stream().filter(spansOfSources::containsKey).collect(Collectors.toSet());
                if (live.isEmpty()) {
                    throw new StreamException(
                            ErrorCode.NO_SOURCE,
                            table + " " + range + ": none of its " + replicas.size() + " replicas is alive");
                }
                TokenRanges.of(range)
                        .ranges()
                        .forEach(part -> sourcesByStart.put(part.start().value() + 1, live));
            }
        }
        List<Long> starts = cuts(sourcesByStart.keySet(), spansOfSources.values());
        TokenRanges wanted = ring.rangesOf(dead);
        List<Piece> pieces = new ArrayList<>();
        for (int i = 0; i < starts.size(); i++) {
            Token first = new Token(starts.get(i));
            Token last = new Token(i + 1 < starts.size() ? starts.get(i + 1) - 1 : Long.MAX_VALUE);
            if (wanted.intersects(first, last)) {
                pieces.add(piece(table, first, last, sourcesByStart, spansOfSources));
            }
        }
        return pieces;
    }

    private static Piece piece(
            TableRef table,
            Token first,
            Token last,
            NavigableMap<Long, Set<Node>> sourcesByStart,
            Map<Node, List<SSTableSpan>> spansOfSources) {
        Map.Entry<Long, Set<Node>> at = sourcesByStart.floorEntry(first.value());
        List<Set<Node>> inside = new ArrayList<>(
                sourcesByStart.subMap(first.value(), true, last.value(), true).values());
        if (at != null) {
            inside.add(at.getValue());
        }
        Set<Node> sources = inside.stream()
                .reduce((a, b) -> a.stream().filter(b::contains).collect(Collectors.toSet()))
                .orElseThrow();
        if (sources.isEmpty()) {
            throw new StreamException(
                    ErrorCode.NO_SOURCE,
                    table + " tokens " + first + " to " + last + ": an SSTable lies across ranges that no single live "
                            + "node holds all of; it cannot move whole");
        }
        Map<Node, Long> bytes = new HashMap<>();
        for (Node source : sources) {
            bytes.put(
                    source,
                    spansOfSources.getOrDefault(source, List.of()).stream()
                            .filter(span -> span.first().compareTo(first) >= 0
                                    && span.last().compareTo(last) <= 0)
                            .mapToLong(SSTableSpan::lengthBytes)
                            .sum());
        }
        return new Piece(table, first, last, bytes);
    }

    /** First tokens of pieces, ascending: range starts and SSTable starts across which no SSTable lies. */
    private static List<Long> cuts(Collection<Long> rangeStarts, Collection<List<SSTableSpan>> spansOfSources) {
        List<SSTableSpan> spans = spansOfSources.stream()
                .flatMap(List::stream)
                .sorted(Comparator.comparing(SSTableSpan::first))
                .toList();
        Set<Long> candidates = new java.util.TreeSet<>(rangeStarts);
        spans.forEach(span -> candidates.add(span.first().value()));
        List<Long> cuts = new ArrayList<>();
        int next = 0;
        long coveredTo = Long.MIN_VALUE;
        for (long candidate : candidates) {
            while (next < spans.size() && spans.get(next).first().value() < candidate) {
                coveredTo = Math.max(coveredTo, spans.get(next++).last().value());
            }
            if (next == 0 || coveredTo < candidate) {
                cuts.add(candidate);
            }
        }
        return cuts;
    }
}
