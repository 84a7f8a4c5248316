package io.sluice.harness.plan;

import io.sluice.fuzz.MemoryFiles;
import java.io.IOException;

/** A ring that a person describes. Stateless. */
public final class PlanTargets {
    private PlanTargets() {}

    /** A ring file. */
    public static void ring(byte[] input) throws IOException {
        RingFile.read(MemoryFiles.file("ring.yaml", input));
    }
}
