package io.sluice.harness.plan;

import io.sluice.harness.config.OperationName;
import io.sluice.harness.report.ByteFormat;
import io.sluice.harness.report.TextTable;
import io.sluice.streaming.plan.TopologyPlan;
import io.sluice.streaming.plan.TopologyPlan.Transfer;
import io.sluice.streaming.ring.Node;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Formats a plan as text and as JSON. Stateless. */
public final class PlanView {
    private static final int MAX_LINES = 60;

    private PlanView() {}

    /** What one node sends to another. */
    public record Stream(
            String source,
            String destination,
            int ranges,
            long bytes,
            double sourceFinishesSeconds,
            List<String> why,
            boolean isBottleneck) {}

    /** A range of tokens, both ends included. */
    public record Range(
            String table,
            long first,
            long last,
            String source,
            String destination,
            long bytes,
            String why,
            List<String> alternates) {}

    /** A whole plan. */
    public record Document(
            String operation,
            double finishSeconds,
            double boundSeconds,
            double gap,
            long bytes,
            long bytesBetweenDcs,
            List<Stream> streams,
            List<Range> ranges,
            List<ModeForecast.ForecastTransfer> modes) {}

    /** The plan as a JSON document, with the modes in which its SSTables would travel. */
    public static Document document(TopologyPlan plan, List<ModeForecast.ForecastTransfer> modes) {
        return new Document(
                OperationName.of(plan.change().operation()).word(),
                plan.finishSeconds(),
                plan.boundSeconds(),
                plan.gap(),
                plan.totalBytes(),
                plan.bytesBetweenDcs(),
                streams(plan),
                plan.transfers().stream()
                        .map(transfer -> new Range(
                                transfer.table().toString(),
                                transfer.first().value(),
                                transfer.last().value(),
                                transfer.source().name(),
                                transfer.destination().name(),
                                transfer.bytes(),
                                transfer.reason().text(),
                                transfer.alternates().stream().map(Node::name).toList()))
                        .toList(),
                List.copyOf(modes));
    }

    /** Prints how much of each stream would travel in which mode, and why. */
    public static void explain(List<ModeForecast.ForecastTransfer> modes, StoredSSTables held, PrintStream out) {
        String known = String.join(", ", new TreeSet<>(held.directories().keySet()));
        out.println(
                known.isEmpty()
                        ? "Forecast of modes, for SSTables as compaction leaves them (no file was read):"
                        : "How SSTables would travel: of " + known + " as they lie there, of others as compaction"
                                + " leaves them:");
        TextTable table = new TextTable("to", "from", "table", "mode", "SSTables", "bytes", "CPU", "the largest");
        modes.stream()
                .limit(MAX_LINES)
                .forEach(share -> table.row(
                        share.destination(),
                        share.source(),
                        share.table(),
                        share.mode().name().toLowerCase(Locale.ROOT),
                        String.valueOf(share.sstables()),
                        ByteFormat.text(share.bytes()),
                        time(share.cpuSeconds()),
                        share.example()));
        table.print(out);
        if (modes.size() > MAX_LINES) {
            out.println("  ... and " + (modes.size() - MAX_LINES) + " more (all with --json)");
        }
        out.printf(
                Locale.US,
                "%.1f %% of the bytes move without a row being decoded.%n",
                100 * ModeForecast.undecoded(modes));
    }

    private static List<Stream> streams(TopologyPlan plan) {
        List<Transfer> all = List.copyOf(plan.transfers()); // which are made anew for each who asks
        Map<Node, Long> sent =
                all.stream().collect(Collectors.groupingBy(Transfer::source, Collectors.summingLong(Transfer::bytes)));
        Comparator<Node> byName = Comparator.comparing(Node::name).thenComparing(Node::id);
        Map<Node, Map<Node, List<Transfer>>> byEnds = all.stream()
                .collect(Collectors.groupingBy(
                        Transfer::destination,
                        () -> new TreeMap<>(byName),
                        Collectors.groupingBy(Transfer::source, () -> new TreeMap<>(byName), Collectors.toList())));
        List<Stream> streams = new ArrayList<>();
        byEnds.forEach((destination, sources) -> sources.forEach((source, transfers) -> streams.add(new Stream(
                source.name(),
                destination.name(),
                transfers.size(),
                transfers.stream().mapToLong(Transfer::bytes).sum(),
                plan.finishSeconds(source, sent.getOrDefault(source, 0L)),
                transfers.stream()
                        .map(transfer -> transfer.reason().text())
                        .distinct()
                        .sorted()
                        .toList(),
                plan.isBottleneck(source)))));
        return streams;
    }

    /** Prints which node sends how much to which, the estimated duration, and the reasons. */
    public static void print(TopologyPlan plan, PrintStream out) {
        List<Stream> streams = streams(plan);
        TextTable table = new TextTable("to", "from", "ranges", "bytes", "sender done after", "why");
        streams.stream()
                .limit(MAX_LINES)
                .forEach(stream -> table.row(
                        stream.destination(),
                        stream.source(),
                        String.valueOf(stream.ranges()),
                        ByteFormat.text(stream.bytes()),
                        time(stream.sourceFinishesSeconds()),
                        String.join("; ", stream.why())));
        table.print(out);
        if (streams.size() > MAX_LINES) {
            out.println("  ... and " + (streams.size() - MAX_LINES) + " more (all with --json)");
        }
        out.printf(
                Locale.US,
                "%s in %d ranges, done after %s; no plan is done before %s (gap %.1f %%); %s between data centres.%n",
                ByteFormat.text(plan.totalBytes()),
                plan.transfers().size(),
                time(plan.finishSeconds()),
                time(plan.boundSeconds()),
                100 * plan.gap(),
                ByteFormat.text(plan.bytesBetweenDcs()));
        if (plan.isLimitedByReceiver()) {
            out.println("The receiver decides when it ends: other sources would not make it sooner.");
        } else if (plan.totalBytes() > 0) {
            String few = streams.stream()
                    .filter(Stream::isBottleneck)
                    .map(Stream::source)
                    .distinct()
                    .limit(8)
                    .collect(Collectors.joining(", "));
            out.println("What would make it sooner: more or faster sources for what only these have: " + few + ".");
        }
        out.println("Nothing was moved.");
    }

    private static String time(double seconds) {
        long whole = Math.round(seconds);
        if (whole < 60) {
            return String.format(Locale.US, "%.2f s", seconds);
        }
        return whole < 3600
                ? String.format(Locale.US, "%d min %d s", whole / 60, whole % 60)
                : String.format(Locale.US, "%d h %d min", whole / 3600, whole / 60 % 60);
    }
}
