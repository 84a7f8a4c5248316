package io.sluice.harness.cli.cassandra;

import com.google.common.math.Quantiles;
import io.sluice.harness.report.ByteFormat;
import io.sluice.harness.report.TextTable;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * What two tools took that do the same in turns; of each, the first run warms up and does not count. Not thread-safe:
 * confined to a bench.
 */
final class Runs {
    private final String ours;
    private final String theirs;
    private final String whoseCpu;
    private final List<Run> all = new ArrayList<>();

    /** One of them; CPU is user and system time. */
    record Run(String tool, double seconds, double cpuSeconds) {}

    /** @param whoseCpu heads the column of CPU times */
    Runs(String ours, String theirs, String whoseCpu) {
        this.ours = ours;
        this.theirs = theirs;
        this.whoseCpu = whoseCpu;
    }

    void add(Run run, PrintStream out) {
        boolean isFirst = of(run.tool()).isEmpty();
        all.add(run);
        out.printf(
                Locale.ROOT,
                "  %-16s %6.1f s  CPU %5.1f s%s%n",
                run.tool(),
                run.seconds(),
                run.cpuSeconds(),
                isFirst ? "  (warm-up)" : "");
    }

    private List<Run> of(String tool) {
        return all.stream().filter(run -> run.tool().equals(tool)).toList();
    }

    private double median(String tool, ToDoubleFunction<Run> figure) {
        return Quantiles.median()
                .compute(of(tool).stream().skip(1).mapToDouble(figure).toArray());
    }

    /** @param where the bytes went, or came from, as {@code into one node} */
    void print(long bytes, String where, PrintStream out) {
        TextTable table = new TextTable("median of " + (of(ours).size() - 1), "seconds", "rate", whoseCpu);
        for (String tool : List.of(ours, theirs)) {
            double seconds = median(tool, Run::seconds);
            table.row(
                    tool,
                    String.format(Locale.ROOT, "%.1f", seconds),
                    ByteFormat.rate(bytes, seconds),
                    String.format(Locale.ROOT, "%.1f", median(tool, Run::cpuSeconds)));
        }
        out.println();
        out.println(ByteFormat.text(bytes) + ", " + where);
        table.print(out);
        out.printf(
                Locale.ROOT,
                "%s: %.2f times as fast, with %.2f of the CPU%n",
                ours,
                median(theirs, Run::seconds) / median(ours, Run::seconds),
                median(ours, Run::cpuSeconds) / median(theirs, Run::cpuSeconds));
    }
}
