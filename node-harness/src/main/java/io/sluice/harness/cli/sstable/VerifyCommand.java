package io.sluice.harness.cli.sstable;

import io.sluice.harness.json.Json;
import io.sluice.harness.report.ExitCode;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.Verification;
import io.sluice.sstable.VerificationReport;
import io.sluice.sstable.VerificationReport.Problem;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.SSTableException;
import io.sluice.sstable.data.BlockIndexCheck;
import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.merge.MergedPartitions;
import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ./sluice sstable verify}. Not thread-safe. */
@Command(
        name = "verify",
        mixinStandardHelpOptions = true,
        description =
                "Checks every checksum, what each component says of the others, decodes every row, and holds block indexes against the rows.",
        footer = {
            "",
            "Exits 0 if all is well, 1 if anything is wrong, 4 if all is well but some could not be read by this version."
        })
final class VerifyCommand implements Callable<Integer> {
    @Parameters(paramLabel = "DIR", description = "A Data.db, the folder of a table, or a data directory.")
    private Path path = Path.of("");

    @Option(names = "--quick", description = "Does not decode rows, nor hold block indexes and row tries against them.")
    private boolean quick;

    @Option(names = "--json", description = "As JSON.")
    private boolean json;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws IOException {
        List<VerificationReport> reports = new ArrayList<>();
        Selection<TargetFiles.Found> selection = TargetFiles.find(path);
        for (TargetFiles.Found found : selection.sstables()) {
            try {
                reports.add(verify(found));
            } catch (SSTableException unreadable) {
                if (!unreadable.isUnsupported()) {
                    throw unreadable;
                }
                selection.leaveOut(unreadable);
            }
        }
        if (reports.isEmpty()) {
            throw selection.leftOut().get(0);
        }
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(Json.MAPPER.writeValueAsString(reports));
        } else {
            reports.forEach(report -> print(report, out));
        }
        out.flush();
        int code = selection.reportLeftOut(spec.commandLine().getErr());
        return reports.stream().allMatch(VerificationReport::isClean) ? code : ExitCode.FAILED.number();
    }

    private VerificationReport verify(TargetFiles.Found found) throws IOException {
        VerificationReport report = Verification.verify(found.folder(), found.descriptor());
        return report.isClean() && !quick ? decode(found.open(), report) : report;
    }

    /** Every row and cell, as whoever reads them would. */
    private static VerificationReport decode(SSTable sstable, VerificationReport clean) throws IOException {
        try (MergedPartitions rows = MergedPartitions.open(List.of(sstable), TokenRanges.FULL)) {
            ContentDigest.of(rows);
            BlockIndexCheck.check(sstable);
            return clean;
        } catch (SSTableException e) {
            return new VerificationReport(clean.sstable(), List.of(Problem.of(Component.DATA, e)));
        }
    }

    private static void print(VerificationReport report, PrintWriter out) {
        out.println(report.sstable() + (report.isClean() ? ": ok" : ": DAMAGED"));
        report.problems().forEach(problem -> out.println("  " + problem.sentence()));
    }
}
