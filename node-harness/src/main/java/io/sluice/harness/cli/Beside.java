package io.sluice.harness.cli;

import io.sluice.harness.config.ConfigException;

/** Options that mean something only beside another one. Stateless. */
public final class Beside {
    private Beside() {}

    /**
     * Refuses an option that lacks another one.
     *
     * @throws ConfigException if {@code option} is given, and {@code wanted} is not
     */
    public static void require(String option, boolean isGiven, String wanted, boolean isWantedGiven) {
        if (isGiven && !isWantedGiven) {
            throw new ConfigException(option + ": wants " + wanted + " beside it");
        }
    }

    /**
     * Refuses two options of which one would do nothing.
     *
     * @throws ConfigException if both are given
     */
    public static void forbid(String option, boolean isGiven, String other, boolean isOtherGiven) {
        if (isGiven && isOtherGiven) {
            throw new ConfigException(option + ": not with " + other + " (expected: one of both)");
        }
    }
}
