package io.sluice.harness.config;

import io.sluice.fuzz.MemoryFiles;
import java.io.IOException;

/** Settings and scenarios in YAML. Stateless. */
public final class ConfigTargets {
    private ConfigTargets() {}

    /** sluice.yaml. */
    public static void settings(byte[] input) throws IOException {
        SluiceConfig config = SluiceConfig.read(MemoryFiles.file("sluice.yaml", input));
        config.streaming();
        config.node();
    }

    /** A scenario. */
    public static void scenario(byte[] input) throws IOException {
        ScenarioFile.read(MemoryFiles.file("scenario.yaml", input));
    }
}
