package io.sluice.netty.threads;

import java.util.concurrent.ThreadPoolExecutor;
import org.jspecify.annotations.Nullable;

/** Checks what thread factories return. Stateless. */
public final class Factories {
    private Factories() {}

    /**
     * Returns the thread that a factory created.
     *
     * @throws IllegalStateException if it is null
     */
    public static Thread made(@Nullable Thread thread) {
        if (thread == null) {
            throw new IllegalStateException("a thread factory returned null (expected: a thread that is not started)");
        }
        return thread;
    }

    /**
     * Starts {@code count} threads of {@code pool}; shuts it down if that fails.
     *
     * @throws IllegalStateException if its factory returns no thread
     */
    public static void start(ThreadPoolExecutor pool, int count) {
        try {
            for (int i = 0; i < count; i++) {
                if (!pool.prestartCoreThread()) {
                    throw new IllegalStateException(
                            "a thread factory returned null (expected: a thread that is not started)");
                }
            }
        } catch (RuntimeException | Error e) {
            pool.shutdownNow();
            throw e;
        }
    }
}
