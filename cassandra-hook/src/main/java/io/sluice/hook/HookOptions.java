package io.sluice.hook;

import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The options behind the {@code =} of {@code -javaagent:sluice-cassandra-hook.jar=agent_timeout=120s}. Immutable. */
final class HookOptions {
    /** System property that passes the agent's options to the hook, which reads them when its class is initialized. */
    static final String PROPERTY = "sluice.hook.options";

    private static final long DEFAULT_SECONDS = 120;
    private static final long LEAST_SECONDS = 5;
    private static final long MOST_SECONDS = 86_400;
    private static final String NAME = "agent_timeout";
    private static final Pattern TIMEOUT = Pattern.compile(NAME + "=(\\d{1,6})s");

    /** The option, as the check explains it and as docs/cassandra-replace.md lists it. */
    static final String EXPECTED =
            NAME + "=" + DEFAULT_SECONDS + "s, from " + LEAST_SECONDS + "s to " + MOST_SECONDS + "s";

    private final long agentTimeoutSeconds;

    private HookOptions(long agentTimeoutSeconds) {
        this.agentTimeoutSeconds = agentTimeoutSeconds;
    }

    /**
     * Parses the options.
     *
     * @throws IllegalArgumentException if the text is not a valid list of options
     */
    static HookOptions parse(String text) {
        if (text.isEmpty()) {
            return new HookOptions(DEFAULT_SECONDS);
        }
        Matcher matcher = TIMEOUT.matcher(text);
        long seconds = matcher.matches() ? Long.parseLong(matcher.group(1)) : 0;
        if (seconds < LEAST_SECONDS || seconds > MOST_SECONDS) {
            throw new IllegalArgumentException("options of the hook: " + text + " (expected: " + EXPECTED + ")");
        }
        return new HookOptions(seconds);
    }

    static HookOptions ofProcess() {
        return parse(System.getProperty(PROPERTY, ""));
    }

    long agentTimeoutMillis() {
        return TimeUnit.SECONDS.toMillis(agentTimeoutSeconds);
    }

    long agentTimeoutNanos() {
        return TimeUnit.SECONDS.toNanos(agentTimeoutSeconds);
    }
}
