package io.sluice.harness.report;

import io.sluice.harness.report.RunReport.Environment;
import io.sluice.harness.report.RunReport.Setting;
import io.sluice.harness.report.RunReport.Source;
import io.sluice.harness.report.RunReport.Transfer;
import io.sluice.harness.report.RunReport.Usage;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.DoubleFunction;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * Two runs beside each other: what they did, and in what they differ. Immutable.
 *
 * @param figures what both measured, as texts
 * @param differences of what the runs were asked to do, and of what they ran on; empty if they are alike
 */
public record ReportDiff(Run a, Run b, List<Figure> figures, List<Difference> differences) {
    // Below this a ratio of times is one of the start of processes.
    private static final double LEAST_SECONDS = 1;

    /**
     * A run.
     *
     * @param name of its file
     */
    public record Run(String name, RunReport report) {}

    /**
     * A figure of both runs.
     *
     * @param a as text; empty if the run has none
     * @param ratio of b to a; empty if it would say nothing
     */
    public record Figure(String name, String a, String b, Optional<Double> ratio) {}

    /** Something that is not the same in both runs. */
    public record Difference(String name, String a, String b) {}

    /** Puts two runs beside each other. */
    public static ReportDiff of(Run a, Run b) {
        return new ReportDiff(a, b, figures(a.report(), b.report()), differences(a.report(), b.report()));
    }

    private static List<Figure> figures(RunReport a, RunReport b) {
        List<Figure> figures = new ArrayList<>();
        figures.add(new Figure("result", result(a), result(b), Optional.empty()));
        boolean areLong = streamingSeconds(a) >= LEAST_SECONDS && streamingSeconds(b) >= LEAST_SECONDS;
        boolean areWhole = a.failure().isEmpty() && b.failure().isEmpty();
        boolean isComparable = areLong && areWhole;
        figures.add(figure(a, b, "streamed", true, ReportDiff::bytes, amount -> ByteFormat.text((long) amount)));
        figures.add(figure(
                a,
                b,
                a.repeats().isPresent() && b.repeats().isPresent()
                        ? "streaming time, median of "
                                + a.repeats().get().values().size() + " and "
                                + b.repeats().get().values().size() + " runs"
                        : "streaming time",
                isComparable,
                ReportDiff::streamingSeconds,
                ReportDiff::seconds));
        figures.add(figure(
                a,
                b,
                "mean rate",
                isComparable,
                run -> isComparable ? bytes(run) / streamingSeconds(run) : 0,
                ByteFormat::rate));
        figures.add(figure(a, b, "CPU of all processes", isComparable, ReportDiff::cpuSeconds, ReportDiff::seconds));
        figures.add(figure(
                a,
                b,
                "most memory of a process",
                true,
                run -> run.processes().stream()
                        .flatMap(process -> process.peakMemoryBytes().stream())
                        .mapToDouble(Long::doubleValue)
                        .max()
                        .orElse(0),
                amount -> ByteFormat.text((long) amount)));
        figures.add(figure(
                a, b, "files", true, run -> transfer(run, Transfer::files), amount -> Long.toString((long) amount)));
        figures.add(figure(a, b, "SSTables", true, RunReport::sstables, amount -> Long.toString((long) amount)));
        figures.add(new Figure("mode", mode(a), mode(b), Optional.empty()));
        figures.add(new Figure("sources", sources(a), sources(b), Optional.empty()));
        figures.removeIf(figure -> figure.a().isEmpty() && figure.b().isEmpty());
        return List.copyOf(figures);
    }

    /** A figure of 0 is one that the run has not. */
    private static Figure figure(
            RunReport a,
            RunReport b,
            String name,
            boolean isComparable,
            ToDoubleFunction<RunReport> figure,
            DoubleFunction<String> text) {
        double ofA = figure.applyAsDouble(a);
        double ofB = figure.applyAsDouble(b);
        return new Figure(
                name,
                ofA > 0 ? text.apply(ofA) : "",
                ofB > 0 ? text.apply(ofB) : "",
                isComparable && ofA > 0 && ofB > 0 ? Optional.of(ofB / ofA) : Optional.empty());
    }

    private static String result(RunReport run) {
        if (run.failure().isPresent()) {
            return run.end().asExpected() ? "failed as expected" : "failed";
        }
        return run.verified() ? "verified" : run.phase().toString();
    }

    private static double transfer(RunReport run, ToDoubleFunction<Transfer> figure) {
        return run.transfer().map(figure::applyAsDouble).orElse(0.0);
    }

    private static double bytes(RunReport run) {
        return transfer(run, Transfer::bytes);
    }

    /** Of several runs the median. */
    private static double streamingSeconds(RunReport run) {
        return run.repeats().map(Spread::median).orElseGet(() -> transfer(run, Transfer::seconds));
    }

    private static double cpuSeconds(RunReport run) {
        return run.processes().stream()
                .map(Usage::cpuSeconds)
                .flatMap(Optional::stream)
                .mapToDouble(Double::doubleValue)
                .sum();
    }

    private static String seconds(double seconds) {
        return String.format(Locale.ROOT, "%.2f s", seconds);
    }

    private static String mode(RunReport run) {
        return run.sources().stream()
                .filter(source -> source.bytes() > 0)
                .map(Source::mode)
                .distinct()
                .collect(Collectors.joining("; "));
    }

    private static String sources(RunReport run) {
        Map<String, Long> bytes = new TreeMap<>();
        run.sources().forEach(source -> bytes.merge(source.label(), source.bytes(), Long::sum));
        return bytes.entrySet().stream()
                .filter(source -> source.getValue() > 0)
                .map(source -> source.getKey() + " " + ByteFormat.text(source.getValue()))
                .collect(Collectors.joining(", "));
    }

    private static List<Difference> differences(RunReport a, RunReport b) {
        Map<String, String> ofA = facts(a);
        Map<String, String> ofB = facts(b);
        Set<String> names = new LinkedHashSet<>(ofA.keySet());
        names.addAll(ofB.keySet());
        return names.stream()
                .map(name -> new Difference(name, ofA.getOrDefault(name, ""), ofB.getOrDefault(name, "")))
                .filter(one -> !one.a().equals(one.b()))
                .toList();
    }

    /** What was asked for, and what it ran on; not what differs each time, as addresses and the load of the machine. */
    private static Map<String, String> facts(RunReport run) {
        Setting setting = run.setting();
        Environment on = run.environment();
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("operation", run.scenario());
        facts.put("nodes", Integer.toString(setting.nodes()));
        facts.put("replication factor", Integer.toString(setting.replicationFactor()));
        facts.put("data centres", String.join(", ", setting.dcs()));
        facts.put("racks", Integer.toString(setting.racks()));
        facts.put("vnodes", Integer.toString(setting.vnodes()));
        facts.put("data", setting.data());
        facts.put("tables", String.join(", ", setting.tables()));
        facts.put(
                "writes meanwhile",
                run.load().map(load -> load.writesPerSecond() + "/s").orElse(""));
        facts.putAll(new TreeMap<>(setting.options()));
        facts.put(
                "what went wrong",
                run.marks().stream().map(RunReport.Mark::text).collect(Collectors.joining(", ")));
        facts.put("version", on.version());
        facts.put("Java", on.java());
        facts.put("system", on.system());
        facts.put("processors", Integer.toString(on.processors()));
        facts.put("memory of the machine", ByteFormat.text(on.memoryBytes()));
        facts.put("file system", on.fileSystem());
        facts.put("congestion control", on.congestionControl());
        facts.putAll(new TreeMap<>(on.settings()));
        return facts;
    }

    /** Prints it as two short tables. */
    public void print(PrintStream out) {
        TextTable table = new TextTable("", a.name(), b.name(), "ratio");
        figures.forEach(figure -> table.row(
                figure.name(),
                figure.a(),
                figure.b(),
                figure.ratio()
                        .map(ratio -> String.format(Locale.ROOT, "%.2f", ratio))
                        .orElse("")));
        out.println();
        table.print(out);
        if (differences.isEmpty()) {
            out.println("By their reports, both runs were asked for the same, on machines that are alike.");
            return;
        }
        out.println("The runs differ in:");
        TextTable apart = new TextTable("", a.name(), b.name());
        differences.forEach(one -> apart.row(one.name(), one.a(), one.b()));
        apart.print(out);
    }
}
