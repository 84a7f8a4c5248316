package io.sluice.netty.threads;

import java.util.concurrent.ThreadPoolExecutor;
import org.jspecify.annotations.Nullable;

/** What factories of threads are held to. Stateless. */
public final class Factories {
    private Factories() {}

    /**
     * The thread that a factory made.
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
     * Starts so many threads of {@code pool}, or ends it.
     *
     * @throws IllegalStateException if its factory makes no thread
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
