package io.sluice.harness.report;

/** The name and version of this build. */
public final class SluiceVersion {
    /** As {@code --version} and reports have it; a test holds it to the version that is built. */
    public static final String TEXT = "Sluice 0.1.0";

    private SluiceVersion() {}
}
