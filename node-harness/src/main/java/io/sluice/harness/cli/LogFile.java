package io.sluice.harness.cli;

import io.sluice.sstable.encoding.OwnerOnly;
import java.io.IOException;
import java.nio.file.Path;

/** Where this process logs. Stateless. */
final class LogFile {
    static final String PLACE = "sluice.log";
    static final String LEVEL = "sluice.log.level";
    /** Set if audit events have a file of their own. */
    static final String AUDIT = "sluice.audit.log";

    private LogFile() {}

    /** Takes effect if it comes before the first logger is made: {@link LogConfiguration} looks only then. */
    static void at(Path file) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null) {
            OwnerOnly.createDirectories(folder);
        }
        OwnerOnly.restrict(file);
        System.setProperty(PLACE, file.toString());
        System.setProperty(LEVEL, "INFO");
    }

    /** The same for audit events, which go nowhere else then. */
    static void auditAt(Path file) throws IOException {
        OwnerOnly.restrict(file);
        System.setProperty(AUDIT, file.toString());
    }
}
