package io.sluice.netty.threads;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;

/** The running threads of one node: on one of them the node cannot wait for all of them to end. Thread-safe. */
public final class OwnThreads {
    private final Set<Thread> running = ConcurrentHashMap.newKeySet();

    /** A factory whose threads count as the node's own while they run. */
    public ThreadFactory of(ThreadFactory factory) {
        return task -> factory.newThread(() -> {
            running.add(Thread.currentThread());
            try {
                task.run();
            } finally {
                running.remove(Thread.currentThread());
            }
        });
    }

    /** Whether the current thread is one of them. */
    public boolean includeCurrent() {
        return running.contains(Thread.currentThread());
    }
}
