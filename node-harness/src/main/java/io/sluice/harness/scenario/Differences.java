package io.sluice.harness.scenario;

import com.google.common.collect.Lists;
import io.sluice.harness.admin.AdminRequests;
import io.sluice.harness.cluster.NodeProcess;
import io.sluice.harness.content.RangeDigest;
import io.sluice.harness.report.Step;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.plan.TopologyChange.Difference;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.ring.Ring;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Finds where replicas differ, by digests of what they hold: of each range, then of small parts of those that differ.
 * Immutable.
 */
record Differences(Map<UUID, Digests> nodes, Consumer<Step> told) {
    private static final int PARTS = 16;
    private static final int RANGES_OF_A_QUESTION = 8; // so that it shows how far it is

    /** What a node holds of ranges of a table. */
    interface Digests {
        List<RangeDigest> of(UUID table, List<TokenRange> ranges) throws IOException;
    }

    /**
     * Among nodes that run.
     *
     * @param told receives how far the comparison is
     */
    static Differences among(Map<UUID, NodeProcess> processes, Consumer<Step> told) {
        Map<UUID, Digests> nodes = new LinkedHashMap<>();
        processes.forEach((id, process) ->
                nodes.put(id, (table, ranges) -> process.admin().digests(new AdminRequests.Digest(table, ranges))));
        return new Differences(nodes, told);
    }

    /** What was found: all differences, how many ranges were compared, and how many small parts of them differ. */
    record Found(List<Difference> differences, int ranges, int differentParts) {}

    /** Compares all replicas of a table. */
    Found find(TableRef table, Ring ring) throws IOException {
        List<TokenRange> differing = new ArrayList<>();
        List<TokenRange> ranges = ring.ranges();
        for (Map.Entry<TokenRange, Map<Node, ContentDigest>> held :
                digests("comparing " + table, table, ring, ranges).entrySet()) {
            if (Set.copyOf(held.getValue().values()).size() > 1) {
                differing.addAll(ElementaryRanges.split(held.getKey(), PARTS));
            }
        }
        Map<List<Node>, List<TokenRange>> byEnds = new LinkedHashMap<>();
        int different = 0;
        for (Map.Entry<TokenRange, Map<Node, ContentDigest>> held : digests(
                        "comparing small parts of " + table, table, ring, differing)
                .entrySet()) {
            List<List<Node>> pairs = pairs(held.getValue());
            different += pairs.isEmpty() ? 0 : 1;
            pairs.forEach(ends ->
                    byEnds.computeIfAbsent(ends, any -> new ArrayList<>()).add(held.getKey()));
        }
        List<Difference> differences = byEnds.entrySet().stream()
                .map(one ->
                        new Difference(one.getKey().get(0), one.getKey().get(1), table, TokenRanges.of(one.getValue())))
                .toList();
        return new Found(differences, ranges.size(), different);
    }

    /** Who has to fetch from whom: each from one of each group that holds something else, so nothing comes twice. */
    private static List<List<Node>> pairs(Map<Node, ContentDigest> held) {
        Map<ContentDigest, List<Node>> groups = held.keySet().stream()
                .collect(Collectors.groupingBy(
                        node -> held.getOrDefault(node, ContentDigest.EMPTY), LinkedHashMap::new, Collectors.toList()));
        List<List<Node>> pairs = new ArrayList<>();
        groups.forEach((digest, nodes) -> groups.forEach((other, others) -> {
            if (!digest.equals(other) && other.partitions() > 0) {
                nodes.forEach(node -> pairs.add(List.of(node, others.get(0))));
            }
        }));
        return pairs;
    }

    private Map<TokenRange, Map<Node, ContentDigest>> digests(
            String phase, TableRef table, Ring ring, List<TokenRange> ranges) throws IOException {
        Map<TokenRange, Map<Node, ContentDigest>> held = new LinkedHashMap<>();
        ranges.forEach(range -> held.put(range, new LinkedHashMap<>()));
        Map<Node, List<TokenRange>> owned = owned(ring, ranges);
        long total = owned.values().stream().mapToLong(List::size).sum();
        Step step = new Step(phase, 0, total, "ranges of replicas");
        for (Map.Entry<Node, List<TokenRange>> own : owned.entrySet()) {
            Digests node = nodes.get(own.getKey().id());
            for (List<TokenRange> some : Lists.partition(own.getValue(), RANGES_OF_A_QUESTION)) {
                told.accept(step);
                for (RangeDigest digest : Objects.requireNonNull(node).of(table.id(), some)) {
                    held.computeIfAbsent(digest.range(), any -> new LinkedHashMap<>())
                            .put(own.getKey(), digest.content());
                }
                step = step.plus(some.size());
            }
        }
        told.accept(step);
        return held;
    }

    /** Of the nodes that can be asked. */
    private Map<Node, List<TokenRange>> owned(Ring ring, List<TokenRange> ranges) {
        Map<Node, List<TokenRange>> owned = new LinkedHashMap<>();
        for (Node node : ring.nodes()) {
            if (nodes.containsKey(node.id())) {
                owned.put(
                        node,
                        ranges.stream()
                                .filter(range ->
                                        ElementaryRanges.replicas(ring, range).contains(node))
                                .toList());
            }
        }
        return owned;
    }
}
