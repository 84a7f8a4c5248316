package io.sluice.netty.threads;

import io.sluice.streaming.throttle.ForegroundLoad;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the threads of the database wait for a processor, which is the load of a database that does not report its
 * own: all threads of this process but Sluice's and the virtual machine's, as Linux counts them in
 * {@code /proc/self/task/TID/schedstat} (three numbers: nanoseconds on a processor, nanoseconds ready and waiting for
 * one, and how often it ran; <a href="https://docs.kernel.org/scheduler/sched-stats.html">Scheduler Statistics</a>).
 * Thread-safe.
 */
public final class ForegroundThreads implements ForegroundLoad {
    /** How often to look. */
    public static final Duration PERIOD = Duration.ofMillis(500);

    private static final Logger LOG = LoggerFactory.getLogger(ForegroundThreads.class);
    private static final Path TASKS = Path.of("/proc/self/task");
    /**
     * The pause for each thread that is looked at, which takes some 10 µs of a processor. Not in proportion to how long
     * a look takes: it is slow where processors are busy, when the next one is needed most.
     */
    private static final long PAUSE_NANOS_PER_THREAD = Duration.ofMillis(1).toNanos();

    private static final int COLUMNS = 3;

    /** What HotSpot calls threads that run no code of Java; Linux cuts names at 15 characters. */
    private static final List<String> VIRTUAL_MACHINE = List.of(
            "C1 Compiler", "C2 Compiler", "GC Thread", "G1 ", "VM ", "ZWorker", "ZDriver", "ZDirector", "Shenandoah");

    private final OwnThreads own;
    private final Path tasks;
    private final LongSupplier bytesMoved;
    private final LongSupplier nanoClock;
    private final SchedulingDelay delay = new SchedulingDelay(); // as all that follows, guarded by this
    private Map<Integer, Boolean> isJava = Map.of();
    private volatile long nextLookNanos;
    private volatile long movedBefore;
    private volatile boolean isWatching;
    private volatile boolean isOverloaded;
    /** A look is handed over, or under way. */
    private final AtomicBoolean isLooking = new AtomicBoolean();

    ForegroundThreads(OwnThreads own, Path tasks, LongSupplier bytesMoved, LongSupplier nanoClock) {
        this.own = own;
        this.tasks = tasks;
        this.bytesMoved = bytesMoved;
        this.nanoClock = nanoClock;
        this.nextLookNanos = nanoClock.getAsLong();
    }

    /**
     * Those of this process.
     *
     * @param bytesMoved by streaming so far: while nothing moves nobody looks
     */
    public static ForegroundThreads of(OwnThreads own, LongSupplier bytesMoved) {
        return new ForegroundThreads(own, TASKS, bytesMoved, System::nanoTime);
    }

    @Override
    public boolean isOverloaded() {
        return isOverloaded;
    }

    /**
     * Hands a look over to {@code disk}, if it is time for one: bytes move, or did at the last look. Does not block; to
     * be called each {@link #PERIOD}.
     */
    public void tick(Executor disk) {
        boolean isQuiet = bytesMoved.getAsLong() == movedBefore;
        boolean isDue = nanoClock.getAsLong() - nextLookNanos >= 0;
        if ((isQuiet ? isWatching : isDue) && isLooking.compareAndSet(false, true)) {
            disk.execute(() -> {
                try {
                    look();
                } finally {
                    isLooking.set(false);
                }
            });
        }
    }

    /** Looks, by reading a small file of each thread. */
    private synchronized void look() {
        long began = nanoClock.getAsLong();
        long moved = bytesMoved.getAsLong();
        boolean isQuiet = moved == movedBefore;
        movedBefore = moved;
        nextLookNanos = began;
        if (isQuiet) {
            forget();
            return;
        }
        isWatching = true;
        try {
            delay.add(counted());
            isOverloaded = delay.isTooLong();
        } catch (IOException | DirectoryIteratorException e) {
            LOG.debug("threads cannot be asked how long they wait for a processor: {}", e.toString()); // no Linux
            forget();
        }
        nextLookNanos = began + isJava.size() * PAUSE_NANOS_PER_THREAD;
    }

    private void forget() {
        isWatching = false;
        delay.forget();
        isOverloaded = false;
    }

    private Map<Integer, SchedulingDelay.Counted> counted() throws IOException {
        Map<Integer, SchedulingDelay.Counted> counted = new HashMap<>();
        Map<Integer, Boolean> known = new HashMap<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(tasks)) {
            for (Path task : all) {
                try {
                    int number = Integer.parseInt(task.getFileName().toString());
                    @Nullable Boolean before = isJava.get(number);
                    boolean is = before == null ? !isOfVirtualMachine(task) : before;
                    known.put(number, is);
                    if (is
                            && !own.contains(
                                    number)) { // asked each time: one that has just been made says so a little later
                        counted.put(number, counted(task));
                    }
                } catch (IOException | NumberFormatException ended) {
                    LOG.trace("{}: {}", task, ended.toString()); // between the list and the question
                }
            }
        }
        isJava = known;
        return counted;
    }

    private static boolean isOfVirtualMachine(Path task) throws IOException {
        String name = Files.readString(task.resolve("comm"));
        return VIRTUAL_MACHINE.stream().anyMatch(name::startsWith);
    }

    private static SchedulingDelay.Counted counted(Path task) throws IOException {
        String line = Files.readString(task.resolve("schedstat"));
        String[] columns = line.strip().split(" ", -1);
        if (columns.length != COLUMNS) {
            throw new IOException(task + "/schedstat: '" + line + "' (expected: three numbers)");
        }
        return new SchedulingDelay.Counted(Long.parseLong(columns[1]), Long.parseLong(columns[2]));
    }
}
