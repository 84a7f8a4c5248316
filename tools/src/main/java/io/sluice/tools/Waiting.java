package io.sluice.tools;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** How tests wait for what other threads and processes do. Stateless. */
public final class Waiting {
    private static final Duration LOOK_AGAIN = Duration.ofMillis(2);
    private static final Duration LONGEST = Duration.ofSeconds(30);

    private Waiting() {}

    /** Looks at once, then every 2 ms, and fails after half a minute; on this thread, which must not hang. */
    public static ConditionFactory await() {
        return Awaitility.await()
                .dontCatchUncaughtExceptions() // they have listeners of their own
                .pollInSameThread() // where threads are counted, or cannot be had
                .pollDelay(Duration.ZERO)
                .pollInterval(LOOK_AGAIN)
                .atMost(LONGEST);
    }
}
