package io.sluice.streaming.planner;

import io.sluice.streaming.plan.TopologyPlan;
import io.sluice.streaming.plan.TopologyPlan.Reason;
import io.sluice.streaming.plan.TopologyPlan.Transfer;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Explains a plan to an operator, in lines: a summary, what each source sends to which node and why, and the nodes that
 * were left out.
 */
final class Explanation {
    private static final double MEBIBYTE = 1 << 20;

    /** The transfers from one node to another. */
    private static final class Flow {
        private final Set<TableRef> tables = new HashSet<>();
        private final Map<Reason, Integer> reasons = new EnumMap<>(Reason.class);
        private int ranges;
        private long bytes;

        void add(Transfer transfer) {
            tables.add(transfer.table());
            reasons.merge(transfer.reason(), 1, Integer::sum);
            ranges++;
            bytes += transfer.bytes();
        }

        String reason() {
            return reasons.entrySet().stream()
                    .map(entry -> reasons.size() == 1
                            ? entry.getKey().text()
                            : entry.getKey().text() + " (" + entry.getValue() + ")")
                    .collect(Collectors.joining("; "));
        }
    }

    private Explanation() {}

    static String of(TopologyPlan plan) {
        Comparator<Node> byName = Comparator.comparing(Node::name).thenComparing(Node::id);
        Map<Node, Map<Node, Flow>> flows = new TreeMap<>(byName);
        for (Transfer transfer : plan.transfers()) {
            flows.computeIfAbsent(transfer.source(), source -> new TreeMap<>(byName))
                    .computeIfAbsent(transfer.destination(), destination -> new Flow())
                    .add(transfer);
        }
        StringBuilder text = new StringBuilder();
        text.append(String.format(
                Locale.ROOT,
                "%s: %s from %d nodes to %d, in about %.0f s (at best %.0f s)%n",
                plan.change().operation().name().toLowerCase(Locale.ROOT).replace('_', '-'),
                mebibytes(plan.totalBytes()),
                flows.size(),
                plan.destinations().size(),
                plan.finishSeconds(),
                plan.boundSeconds()));
        flows.forEach((source, destinations) -> destinations.forEach((destination, flow) -> text.append(String.format(
                Locale.ROOT,
                "  %s sends %s in %d ranges of %d tables to %s: %s%n",
                source,
                mebibytes(flow.bytes),
                flow.ranges,
                flow.tables.size(),
                destination,
                flow.reason()))));
        List<TopologyPlan.Unavailable> left = plan.unavailable();
        left.forEach(node -> text.append("  left out: ").append(node).append(System.lineSeparator()));
        return text.toString();
    }

    private static String mebibytes(long bytes) {
        return String.format(Locale.ROOT, "%.1f MiB", bytes / MEBIBYTE);
    }
}
