package io.sluice.harness.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import io.sluice.harness.config.ConfigException;
import io.sluice.harness.json.Json;
import io.sluice.harness.report.HtmlReport;
import io.sluice.harness.report.ReportDiff;
import io.sluice.harness.report.RunReport;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./sluice report}: the group. */
@Command(
        name = "report",
        addMethodSubcommands = false,
        description = "Compares reports of runs.",
        subcommands = {ReportCommand.Diff.class, CommandLine.HelpCommand.class})
final class ReportCommand {
    /** {@code ./sluice report diff}: two runs beside each other. Not thread-safe. */
    @Command(
            name = "diff",
            addMethodSubcommands = false,
            description = "Puts two runs beside each other: a table here, a page with pictures in a file.",
            footer = {"", "Example: ./sluice report diff before.json after.json --report diff.html"})
    static final class Diff implements Callable<Integer> {
        // A report has at most some 2000 samples and 200 offers for each source.
        private static final long MAX_BYTES = 64 << 20;

        // What is missing is not taken for empty.
        private static final ObjectReader REPORTS = Json.MAPPER
                .readerFor(RunReport.class)
                .with(
                        DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES,
                        DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES);

        @Parameters(index = "0", paramLabel = "A.json", description = "What --json of a run has written.")
        private Path a = Path.of("");

        @Parameters(index = "1", paramLabel = "B.json", description = "The same of another run.")
        private Path b = Path.of("");

        @Option(
                names = "--report",
                paramLabel = "FILE.html",
                description = "Where the page is written (default: report-diff.html beside B.json).")
        private @Nullable Path page;

        @Override
        public Integer call() throws IOException {
            ReportDiff diff = ReportDiff.of(run(a), run(b));
            Path written = page == null ? b.resolveSibling("report-diff.html") : page;
            try {
                HtmlReport.write(diff, written);
            } catch (FileSystemException e) {
                throw new ConfigException(
                        "--report " + written + ": cannot be written (expected: a file in a folder that exists)", e);
            }
            diff.print(System.out);
            System.out.println("Report: " + written);
            return 0;
        }

        private static ReportDiff.Run run(Path file) throws IOException {
            if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
                throw new ConfigException(
                        file + ": cannot be read (expected: a file that --json of a run has written)");
            }
            if (Files.size(file) > MAX_BYTES) {
                throw new ConfigException(file + ": " + Files.size(file) + " bytes (expected: at most " + MAX_BYTES
                        + ", a report of a run)");
            }
            try {
                RunReport report = REPORTS.readValue(file.toFile());
                if (report != null) {
                    return new ReportDiff.Run(name(file), report);
                }
                throw new ConfigException(notReport(file));
            } catch (JsonProcessingException e) {
                // The library's reasons name types of Java.
                throw new ConfigException(notReport(file), e);
            }
        }

        private static String notReport(Path file) {
            return file
                    + ": is not the report of a run, or of another version of Sluice (expected: what --json of a run has"
                    + " written)";
        }

        private static String name(Path file) {
            Path folder = file.toAbsolutePath().getParent();
            String last = String.valueOf(file.getFileName());
            // report.json of each work directory has the same name.
            return last.equals("report.json") && folder != null && folder.getFileName() != null
                    ? folder.getFileName() + "/" + last
                    : last;
        }
    }

    private ReportCommand() {}
}
