package io.sluice.netty.threads;

import java.util.concurrent.ThreadFactory;
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
     * A factory of threads for event loops, which wait in native code: a virtual thread would hold its carrier as long
     * as the loop runs, and a few of them all carriers of the process.
     *
     * @param kind of the threads, for the message
     * @return throws {@link IllegalStateException} in place of a thread that is virtual or null
     */
    public static ThreadFactory ofLoops(ThreadFactory factory, Object kind) {
        return task -> {
            Thread thread = made(factory.newThread(task));
            if (isVirtual(thread)) {
                throw new IllegalStateException("the factory for threads of kind " + kind
                        + " made a virtual thread (expected: a platform thread, because an event loop waits in native"
                        + " code)");
            }
            return thread;
        };
    }

    /** By their special group: {@code Thread.isVirtual} is of Java 21. */
    private static boolean isVirtual(Thread thread) {
        ThreadGroup group = thread.getThreadGroup();
        return group != null && group.getName().equals("VirtualThreads");
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
