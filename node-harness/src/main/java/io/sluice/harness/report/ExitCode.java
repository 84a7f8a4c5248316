package io.sluice.harness.report;

import io.sluice.streaming.ErrorCode;

/** How the process ends; documented in {@code ./sluice --help}. */
public enum ExitCode {
    /** All went well and was verified, or a scenario failed in the way that it was to. */
    OK(0),
    /** Something failed, or contents differ. */
    FAILED(1),
    /** The command line or a configuration file is wrong. */
    WRONG_USAGE(2),
    /** The operation cannot be done; nothing was changed. */
    REFUSED(3),
    /** Some of what was to be done is done: moved and installed, or read; some is not. */
    PARTLY(4),
    /** Somebody ended it before it was over. */
    CANCELLED(5);

    private final int number;

    ExitCode(int number) {
        this.number = number;
    }

    /** The exit status of the process, 0 to 5. */
    public int number() {
        return number;
    }

    /** The code of a run that is over. */
    public static ExitCode of(RunReport report) {
        boolean isInstalled = report.failure().isEmpty();
        if (report.end().asExpected() && (report.verified() || !isInstalled)) {
            return OK;
        }
        return switch (report.end().state()) {
            case REFUSED -> REFUSED;
            case PARTLY -> PARTLY;
            case RUNNING, INSTALLED, FAILED ->
                report.end().code().filter(code -> code == ErrorCode.CANCELLED).isPresent() ? CANCELLED : FAILED;
        };
    }
}
