package io.sluice.netty.threads;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/** Which threads of this process are Sluice's, by the numbers that Linux has for them. Thread-safe. */
public final class OwnThreads {
    /** For each thread a link to {@code PID/task/TID}, its own. */
    private static final Path SELF = Path.of("/proc/thread-self");

    private final Set<Integer> numbers = ConcurrentHashMap.newKeySet();

    /** A factory as {@code factory}, whose threads are Sluice's as long as they run. */
    public ThreadFactory counting(ThreadFactory factory) {
        return new Counting(factory);
    }

    private final class Counting implements ThreadFactory {
        private final ThreadFactory factory;

        Counting(ThreadFactory factory) {
            this.factory = factory;
        }

        @Override
        @SuppressWarnings("NullAway") // whoever asks for a thread checks that there is one
        public @Nullable Thread newThread(Runnable task) {
            return factory.newThread(() -> run(task));
        }
    }

    private void run(Runnable task) {
        OptionalInt number = number();
        number.ifPresent(numbers::add);
        try {
            task.run();
        } finally {
            number.ifPresent(numbers::remove);
        }
    }

    /** That of the current thread; empty where there is no such file, as on other systems. */
    private static OptionalInt number() {
        try {
            return OptionalInt.of(
                    Integer.parseInt(Files.readSymbolicLink(SELF).getFileName().toString()));
        } catch (IOException | UnsupportedOperationException | NumberFormatException none) {
            return OptionalInt.empty(); // then nothing is measured at all
        }
    }

    /** Whether the thread with this number is Sluice's. */
    boolean contains(int number) {
        return numbers.contains(number);
    }
}
