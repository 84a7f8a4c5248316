package io.sluice.streaming.planner;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.store.TableRef;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * Cuts the needs of one table into the smallest pieces that do not cut an SSTable: at the ends of needs and at every
 * gap between SSTables, but not inside an SSTable of any source.
 *
 * @param tableNumber the table's number in the pieces
 * @param mayCut whether needs that no single source holds completely become separate pieces, although that cuts the
 *     SSTable; otherwise the plan fails
 */
record WholeSSTableRanges(
        TableRef table, int tableNumber, Demand demand, NodeNumbers nodes, DataSizes sizes, boolean mayCut) {

    void addTo(PlanRanges pieces) {
        List<List<Integer>> needsByNode = demand.byDestination();
        for (int destination = 0; destination < needsByNode.size(); destination++) {
            List<Integer> needs = needsByNode.get(destination);
            if (!needs.isEmpty()) {
                add(destination, needs, pieces);
            }
        }
    }

    private void add(int destination, List<Integer> needs, PlanRanges pieces) {
        NavigableSet<Long> starts = new TreeSet<>();
        NavigableSet<Integer> sources = new TreeSet<>();
        for (int need : needs) {
            starts.add(demand.first(need));
            Arrays.stream(demand.sources(need)).forEach(sources::add);
        }
        List<SSTableSpan> spans = sources.stream()
                .flatMap(source -> sizes.spans(table, nodes.node(source)).stream())
                .sorted(Comparator.comparing(SSTableSpan::first))
                .toList();
        List<Long> cuts = cuts(starts, spans);
        int next = 0;
        for (int i = 0; i < cuts.size(); i++) {
            long first = cuts.get(i);
            long last = i + 1 < cuts.size() ? cuts.get(i + 1) - 1 : Long.MAX_VALUE;
            while (next < needs.size() && demand.last(needs.get(next)) < first) {
                next++;
            }
            int end = next;
            while (end < needs.size() && demand.first(needs.get(end)) <= last) {
                end++;
            }
            // Of a repair they may overlap: one that began before another one may end after it.
            List<Integer> between = needs.subList(next, end).stream()
                    .filter(need -> demand.last(need) >= first)
                    .toList();
            addBetween(first, last, destination, between, pieces);
        }
    }

    /** Adds one piece for adjacent needs; a gap between them is not part of a piece. */
    private void addBetween(long first, long last, int destination, List<Integer> needs, PlanRanges pieces) {
        for (int at = 0; at < needs.size(); ) {
            int from = at;
            int[] common = demand.sources(needs.get(at));
            long end = demand.last(needs.get(at++));
            while (at < needs.size() && demand.first(needs.get(at)) == end + 1) {
                common = both(common, demand.sources(needs.get(at)));
                end = demand.last(needs.get(at++));
            }
            long start = Math.max(first, demand.first(needs.get(from)));
            if (common.length > 0) {
                pieces.add(tableNumber, destination, start, Math.min(last, end), common);
            } else if (mayCut) {
                for (int need : needs.subList(from, at)) {
                    pieces.add(
                            tableNumber,
                            destination,
                            Math.max(first, demand.first(need)),
                            Math.min(last, demand.last(need)),
                            demand.sources(need));
                }
            } else {
                throw new StreamException(
                        ErrorCode.NO_SOURCE,
                        table + " tokens " + start + " to " + end + ": an SSTable overlaps ranges that no single"
                                + " live node holds completely; it cannot be sent whole");
            }
        }
    }

    private static int[] both(int[] some, int[] others) {
        return Arrays.stream(some)
                .filter(one -> Arrays.stream(others).anyMatch(other -> other == one))
                .toArray();
    }

    /** First tokens of pieces, ascending: starts of needs and of SSTables that are not inside an SSTable. */
    private static List<Long> cuts(Collection<Long> starts, List<SSTableSpan> spans) {
        NavigableSet<Long> candidates = new TreeSet<>(starts);
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
