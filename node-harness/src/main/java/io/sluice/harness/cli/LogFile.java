package io.sluice.harness.cli;

import java.nio.file.Path;

/** Where this process logs. Stateless. */
final class LogFile {
    private LogFile() {}

    /** Takes effect if it comes before the first logger is made: logback.xml reads these properties only then. */
    static void at(Path file) {
        System.setProperty("sluice.log", file.toString());
        System.setProperty("sluice.log.level", "INFO");
    }
}
