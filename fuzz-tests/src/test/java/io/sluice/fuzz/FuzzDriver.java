package io.sluice.fuzz;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What Jazzer calls, which knows static methods only: hence the static field, set once before the first input. */
public final class FuzzDriver {
    /**
     * Hooks of the fuzzer at comparisons allocate, 2.8 times what the parser does until they are compiled; what it does
     * without them {@code CorpusTest} holds to the limit.
     */
    private static final int HOOKS = 4;

    private static @Nullable FuzzTarget target;

    private FuzzDriver() {}

    /**
     * Chooses the parser.
     *
     * @param arguments the name of a {@link FuzzTarget}
     */
    public static void fuzzerInitialize(String[] arguments) {
        target = FuzzTarget.valueOf(arguments[0]);
    }

    /** One input. */
    public static void fuzzerTestOneInput(byte[] input) throws Exception {
        Contract.hold(Objects.requireNonNull(target, "not initialised"), input, HOOKS);
    }
}
