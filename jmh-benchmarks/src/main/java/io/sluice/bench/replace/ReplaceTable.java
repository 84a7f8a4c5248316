package io.sluice.bench.replace;

import io.sluice.bench.process.Usage;
import io.sluice.harness.report.ByteFormat;
import io.sluice.harness.report.Spread;
import io.sluice.harness.report.TextTable;
import java.io.PrintStream;
import java.util.Locale;

/** The result on a terminal. Stateless. */
final class ReplaceTable {
    private static final double GIBIBYTE = 1L << 30;

    private ReplaceTable() {}

    static void print(ReplaceResult result, PrintStream out) {
        out.println();
        out.println(result.versions() + "; " + result.machine());
        out.printf(
                Locale.ROOT,
                "Load before: %.2f. Medians of %d (least to greatest), in turns, the same files for both.%n%n",
                result.loadBefore(),
                result.repetitions());
        for (ReplaceResult.CaseResult one : result.cases()) {
            out.println("Case " + one.name() + ", " + ByteFormat.text(one.bytes()) + " in " + one.sstables()
                    + " SSTables: " + one.what());
            TextTable table = new TextTable(
                    "",
                    "seconds",
                    "until NORMAL",
                    "MiB/s",
                    "CPU s/GiB: receiver",
                    "sources",
                    "verified",
                    "durable",
                    "load",
                    "SSTables");
            for (ReplaceResult.Row row : one.rows()) {
                table.row(
                        row.name(),
                        text(row.seconds()),
                        row.normalSeconds().map(ReplaceTable::text).orElse("-"),
                        text(row.mebibytesPerSecond()),
                        cpu(row.receiverCpuPerGibibyte(), one.bytes()),
                        cpu(row.sourceCpuPerGibibyte(), one.bytes()),
                        row.isVerified() ? "yes" : "no",
                        row.isDurable() ? "yes" : "no",
                        text(row.load()),
                        row.runs().get(row.runs().size() - 1).mode());
            }
            table.print(out);
            one.ratios().forEach(ratio -> out.println("  " + ratio.what() + ": " + text(ratio.ratio())));
            out.println("  Every replacement holds what the dead node held: " + one.digest());
            out.println();
        }
    }

    private static String cpu(Spread perGibibyte, long bytes) {
        double gibibytes = bytes / GIBIBYTE;
        return Usage.isCounted(perGibibyte.median(), gibibytes)
                ? text(perGibibyte)
                : Usage.text(perGibibyte.median(), gibibytes, ReplaceTable::number);
    }

    /** Three digits say enough of what varies by a tenth. */
    static String text(Spread spread) {
        return number(spread.median()) + " (" + number(spread.least()) + " to " + number(spread.most()) + ")";
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : "%.2f", value);
    }
}
