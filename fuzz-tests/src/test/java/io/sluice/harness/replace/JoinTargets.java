package io.sluice.harness.replace;

import java.nio.charset.StandardCharsets;

/** What a coordinator takes out of an agent's answers. Stateless. */
public final class JoinTargets {
    private JoinTargets() {}

    /** A range of tokens as Cassandra prints it. */
    public static void range(byte[] input) {
        JoinPlan.parse(new String(input, StandardCharsets.UTF_8));
    }
}
