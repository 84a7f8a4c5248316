package io.sluice.harness.cli;

import io.sluice.harness.config.ConfigException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Where {@code --json} and the like let a report go. Stateless. */
public final class ReportFile {
    private ReportFile() {}

    /**
     * Finds out before the work begins whether the report can be written: afterwards nothing could be said of the work
     * any more.
     *
     * @param report nothing if none is wanted
     * @throws ConfigException if it cannot
     */
    public static void require(String option, @Nullable Path report) {
        if (report == null) {
            return;
        }
        Path folder = report.toAbsolutePath().getParent();
        boolean isWritable = Files.exists(report)
                ? Files.isWritable(report) && !Files.isDirectory(report)
                : folder != null && Files.isWritable(folder);
        if (!isWritable) {
            throw new ConfigException(
                    option + " " + report + ": cannot be written (expected: a file in a folder that exists)");
        }
    }
}
