package io.sluice.harness.cli;

/** How the process ends; documented in {@code ./sluice --help}. */
enum ExitCode {
    /** All went well and was verified. */
    OK(0),
    /** Something failed, or contents differ. */
    FAILED(1),
    /** The command line or a configuration file is wrong. */
    WRONG_USAGE(2),
    /** Somebody ended it before it was over. */
    CANCELLED(5);

    private final int number;

    ExitCode(int number) {
        this.number = number;
    }

    int number() {
        return number;
    }
}
