package io.sluice.harness.cli;

import io.sluice.harness.admin.Refusal;
import io.sluice.harness.config.ConfigException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Where {@code --json} and the like let a report go. Stateless. */
public final class ReportFile {
    private ReportFile() {}

    /**
     * Finds out before the work begins whether the report can be written: afterwards nothing could be said of the work
     * any more. A file that is there is emptied: if the work ends without a report, that of earlier work must not be
     * taken for one. Called when all else has been checked that may be refused: a command that does nothing leaves it.
     * Only the commands that bring a node its data call it first: their report says of a refusal, too, why.
     *
     * @param report nothing if none is wanted
     * @throws ConfigException if it cannot
     */
    public static void begin(String option, @Nullable Path report) {
        if (report == null) {
            return;
        }
        requireWritable(option, report);
        if (Files.isRegularFile(report)) {
            empty(option, report);
        }
    }

    private static void requireWritable(String option, Path report) {
        Path folder = report.toAbsolutePath().getParent();
        boolean isWritable = Files.exists(report)
                ? Files.isWritable(report) && !Files.isDirectory(report)
                : folder != null && Files.isWritable(folder);
        if (!isWritable) {
            throw new ConfigException(
                    option + " " + report + ": cannot be written (expected: a file in a folder that exists)");
        }
    }

    private static void empty(String option, Path report) {
        try {
            Files.writeString(report, "");
        } catch (IOException e) {
            throw new ConfigException(option + " " + Refusal.because(report, e) + " (expected: a file for writing)", e);
        }
    }
}
