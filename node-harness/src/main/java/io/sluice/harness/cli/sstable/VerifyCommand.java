package io.sluice.harness.cli.sstable;

import io.sluice.harness.cli.LongWork;
import io.sluice.harness.content.RowsRead;
import io.sluice.harness.json.Json;
import io.sluice.harness.report.ExitCode;
import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory.Unread;
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
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ./sluice sstable verify}. Not thread-safe. */
@Command(
        name = "verify",
        addMethodSubcommands = false,
        description =
                "Checks every checksum, what each component says of the others, decodes every row, and holds block indexes against the rows.",
        footer = {
            "",
            "Exits 0 if all is well, 1 if anything is wrong, 4 if all is well but some could not be read by this version.",
            "With --json also what could not be read is an entry; it is not clean, and its problem says why."
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

    /** What is looked at in an SSTable; damage is thrown. */
    private interface Check {
        void run(SSTable sstable) throws IOException;
    }

    @Override
    public Integer call() throws IOException {
        List<VerificationReport> reports;
        Selection<TargetFiles.Found> selection = TargetFiles.find(path);
        List<Unread> damaged = selection.takeDamaged();
        try (LongWork work = LongWork.begin("")) {
            Map<TargetFiles.Found, VerificationReport> checked = checksums(selection, work);
            if (!quick) {
                pass("decoding rows", VerifyCommand::decode, checked, work).forEach(selection::leaveOut);
                pass("checking block indexes", BlockIndexCheck::check, checked, work)
                        .forEach(selection::leaveOut);
            }
            reports = with(checked.values(), damaged);
        }
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(Json.MAPPER.writeValueAsString(with(reports, selection.leftOut())));
        } else {
            reports.forEach(report -> print(report, out));
        }
        out.flush();
        if (reports.isEmpty()) {
            throw selection.leftOut().get(0).why();
        }
        int code = selection.reportLeftOut(spec.commandLine().getErr());
        return reports.stream().allMatch(VerificationReport::isClean) ? code : ExitCode.FAILED.number();
    }

    private static List<VerificationReport> with(Collection<VerificationReport> reports, List<Unread> unread) {
        return Stream.concat(
                        reports.stream(),
                        unread.stream()
                                .map(left -> new VerificationReport(
                                        left.path().toString(), List.of(Problem.of(Component.DATA, left.why())))))
                .toList();
    }

    /** Of all SSTables first: it says the most in the least time. */
    private static Map<TargetFiles.Found, VerificationReport> checksums(
            Selection<TargetFiles.Found> selection, LongWork work) throws IOException {
        long bytes = 0;
        for (TargetFiles.Found found : selection.sstables()) {
            Optional<SSTable> readable = openIfReadable(found);
            bytes += readable.isPresent() ? Verification.bytesToRead(readable.get()) : 0;
        }
        work.phase("verifying checksums", bytes);
        Map<TargetFiles.Found, VerificationReport> reports = new LinkedHashMap<>();
        for (TargetFiles.Found found : selection.sstables()) {
            try {
                reports.put(found, Verification.verify(found.folder(), found.descriptor(), work::add));
            } catch (SSTableException unreadable) {
                if (!unreadable.isUnsupported()) {
                    throw unreadable;
                }
                selection.leaveOut(found.leftOut(unreadable));
            }
        }
        return reports;
    }

    private static Optional<SSTable> openIfReadable(TargetFiles.Found found) throws IOException {
        try {
            return Optional.of(found.open());
        } catch (SSTableException unreadable) {
            return Optional.empty(); // the check says why
        }
    }

    /**
     * Looks at more of those that are clean so far.
     *
     * @return why some could not be looked at, which are in {@code reports} no more
     */
    private static List<Unread> pass(
            String phase, Check check, Map<TargetFiles.Found, VerificationReport> reports, LongWork work)
            throws IOException {
        Map<TargetFiles.Found, SSTable> clean = new LinkedHashMap<>();
        for (Map.Entry<TargetFiles.Found, VerificationReport> report : reports.entrySet()) {
            if (report.getValue().isClean()) {
                clean.put(report.getKey(), report.getKey().open());
            }
        }
        work.phase(
                phase,
                clean.values().stream().mapToLong(SSTable::dataLengthBytes).sum());
        List<Unread> unknown = new ArrayList<>();
        for (Map.Entry<TargetFiles.Found, SSTable> one : clean.entrySet()) {
            SSTable sstable = one.getValue();
            RowsRead read = RowsRead.of(sstable, TokenRanges.FULL, work::add);
            try {
                check.run(sstable.watchedBy(read));
            } catch (SSTableException e) {
                if (e.isUnsupported()) {
                    reports.remove(one.getKey());
                    unknown.add(one.getKey().leftOut(SSTableException.unsupported(sstable + ": " + e.getMessage())));
                } else {
                    reports.put(
                            one.getKey(),
                            new VerificationReport(sstable.toString(), List.of(Problem.of(Component.DATA, e))));
                }
            }
            read.accept(sstable.dataLengthBytes());
        }
        return unknown;
    }

    /** Every row and cell, as whoever reads them would. */
    private static void decode(SSTable sstable) throws IOException {
        try (MergedPartitions rows = MergedPartitions.open(List.of(sstable), TokenRanges.FULL)) {
            ContentDigest.of(rows);
        }
    }

    private static void print(VerificationReport report, PrintWriter out) {
        out.println(report.sstable() + (report.isClean() ? ": ok" : ": DAMAGED"));
        report.problems().forEach(problem -> out.println("  " + problem.sentence()));
    }
}
