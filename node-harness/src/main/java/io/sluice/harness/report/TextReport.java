package io.sluice.harness.report;

import io.sluice.harness.report.RunReport.Audit;
import io.sluice.harness.report.RunReport.Compared;
import io.sluice.harness.report.RunReport.Source;
import io.sluice.harness.report.RunReport.Transfer;
import io.sluice.harness.report.RunReport.Usage;
import io.sluice.streaming.progress.SessionProgress;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** A report as tables on a terminal. Stateless. */
public final class TextReport {
    private static final double LEAST_RATED_SECONDS = 0.25;
    private static final double LEAST_CPU_SECONDS = 0.05;

    private TextReport() {}

    /** Prints it; the sentence about a failure is left to the command line. */
    public static void print(RunReport report, PrintStream out) {
        // Of a run that has failed before anything moved there is nothing to report but why.
        report.transfer()
                .filter(transfer -> transfer.bytes() > 0 || report.failure().isEmpty())
                .ifPresent(transfer -> printTransfer(report, transfer, out));
        report.load()
                .ifPresent(load -> out.printf(
                        Locale.ROOT,
                        "Load: %d writes/s (%s), %d acknowledged of %d, %d rows looked for on replicas, %d missing.%n",
                        load.writesPerSecond(),
                        load.consistency(),
                        load.acknowledged(),
                        load.sent(),
                        load.rowsAsked(),
                        load.missing()));
        if (report.verified()) {
            out.printf(
                    Locale.ROOT,
                    "Verified: %s (%d range%s compared in %.1f s, %d of them by rows; %d partitions in files as written, %.1f s).%n",
                    report.setting().replacement().isPresent()
                            ? report.setting().replacement().get() + " holds what "
                                    + report.setting().deadNode().orElse("?")
                                    + " held, and what its replicas hold"
                            : "all replicas hold the same",
                    report.checks().size(),
                    report.checks().size() == 1 ? "" : "s",
                    report.transfer().map(Transfer::verificationSeconds).orElse(0.0),
                    report.checks().stream()
                            .filter(check -> check.compared() == Compared.ROWS)
                            .count(),
                    report.audit().map(Audit::partitions).orElse(0L),
                    report.audit().map(Audit::seconds).orElse(0.0));
        }
        report.repeats().ifPresent(repeats -> printRepeats(report, repeats, out));
        if (!report.end().expected().isInstalled()) {
            out.printf(
                    "Expected: %s. It %s.%n",
                    report.end().expected(), report.end().asExpected() ? "ended so" : "ended otherwise");
        }
    }

    private static void printRepeats(RunReport report, Spread repeats, PrintStream out) {
        out.printf(
                Locale.ROOT,
                "Streaming time of %d runs: %s.%n",
                repeats.values().size(),
                repeats.text(" s"));
        report.baseline().ifPresent(baseline -> {
            out.printf(
                    Locale.ROOT,
                    "Baseline (%s: %s), %d runs: %s.%n",
                    baseline.name(),
                    baseline.settings().entrySet().stream()
                            .map(setting -> setting.getKey() + ": " + setting.getValue())
                            .sorted()
                            .collect(Collectors.joining(", ")),
                    baseline.seconds().values().size(),
                    baseline.seconds().text(" s"));
            out.printf(
                    Locale.ROOT,
                    "Ratio, baseline to run, of %d pairs: %s.%n",
                    baseline.ratio().values().size(),
                    baseline.ratio().text(""));
        });
    }

    private static void printTransfer(RunReport report, Transfer transfer, PrintStream out) {
        out.printf(
                Locale.ROOT,
                "%n%s: %s in %.2f s%s, %d SSTables, %d files%n%n",
                report.title(),
                ByteFormat.text(transfer.bytes()),
                transfer.seconds(),
                isMean(report, transfer) ? ", " + ByteFormat.rate(transfer.bytes(), transfer.seconds()) : "",
                report.sstables(),
                transfer.files());
        boolean showsEnds = hasFailures(report);
        TextTable sources = showsEnds
                ? new TextTable("attempt", "source", "address", "to", "bytes", "files", "SSTables", "mode", "end")
                : new TextTable("source", "address", "to", "bytes", "files", "SSTables", "mode");
        for (Source source : report.sources()) {
            List<String> cells = new ArrayList<>(List.of(
                    source.node(),
                    source.address(),
                    source.to(),
                    ByteFormat.text(source.bytes()),
                    Integer.toString(source.files()),
                    Integer.toString(source.sstables()),
                    source.mode()));
            if (showsEnds) {
                cells.add(0, Integer.toString(source.attempt()));
                cells.add(source.state());
            }
            sources.row(cells.toArray(String[]::new));
        }
        sources.print(out);
        long resumed = report.sources().stream().mapToLong(Source::bytesResumed).sum();
        if (resumed > 0) {
            out.printf("%s had landed in an earlier attempt, and did not travel again.%n%n", ByteFormat.text(resumed));
        }
        TextTable processes = new TextTable("process", "role", "CPU while streaming", "in the kernel", "peak memory");
        for (Usage usage : report.processes()) {
            processes.row(
                    usage.node(),
                    usage.role(),
                    usage.cpuSeconds().map(TextReport::cpuSeconds).orElse("?"),
                    usage.systemCpuSeconds().map(TextReport::cpuSeconds).orElse("?"),
                    usage.peakMemoryBytes().map(ByteFormat::text).orElse("?"));
        }
        processes.print(out);
    }

    /** A mean rate says nothing of a few hundred milliseconds, nor of a run that failed and waited before it did. */
    private static boolean isMean(RunReport report, Transfer transfer) {
        return transfer.seconds() >= LEAST_RATED_SECONDS && report.failure().isEmpty();
    }

    /** The kernel counts hundredths of a second: of a few of them nothing is known. */
    private static String cpuSeconds(double seconds) {
        return seconds < LEAST_CPU_SECONDS ? "< 0.05 s" : String.format(Locale.ROOT, "%.2f s", seconds);
    }

    /** Whether a session failed, or something was begun again: then the same two nodes are there more than once. */
    private static boolean hasFailures(RunReport report) {
        return report.sources().stream()
                .anyMatch(source -> source.attempt() > 1 || source.state().equals(SessionProgress.State.FAILED.name()));
    }
}
