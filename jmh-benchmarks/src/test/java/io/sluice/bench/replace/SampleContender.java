package io.sluice.bench.replace;

import java.util.Optional;
import java.util.function.Consumer;

/** One that has been measured already. Immutable. */
record SampleContender(String name, boolean isVerified, boolean isDurable) implements Contender {
    @Override
    public String what() {
        return "what " + name + " does";
    }

    @Override
    public Replacement replace(Consumer<String> told) {
        throw new AssertionError("a sample replaces nothing");
    }

    static Replacement run(double seconds, double receiverCpu, double sourceCpu) {
        return new Replacement(seconds, Optional.empty(), receiverCpu, sourceCpu, 1 << 30, 13, "13 whole", 0.5);
    }
}
