package io.sluice.harness.scenario;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.harness.admin.AdminException;
import io.sluice.harness.config.Fault;
import io.sluice.harness.config.Fault.Kind;
import io.sluice.streaming.ring.Node;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The faults that last, and what mends each of them: alone when its time is over, or with all others. Thread-safe; owns
 * its threads.
 */
final class Mendings implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Mendings.class);

    private final Consumer<String> marks;
    private final ScheduledExecutorService timer;

    @GuardedBy("lasting")
    private final List<Lasting> lasting = new ArrayList<>();

    /** What undoes a fault. */
    interface Mending {
        void run() throws IOException, InterruptedException;
    }

    /** A fault that lasts; not a record, as two faults may be alike. */
    private static final class Lasting {
        private final Fault fault;
        private final Node node;
        private final Mending mending;
        private boolean isBeingMended;

        Lasting(Fault fault, Node node, Mending mending) {
            this.fault = fault;
            this.node = node;
            this.mending = mending;
        }
    }

    /**
     * @param most number of faults: none waits for the mending of another, which may take as long as a frozen node
     * @param marks takes what is over, from any thread
     */
    Mendings(int most, Consumer<String> marks) {
        this.marks = marks;
        this.timer = Executors.newScheduledThreadPool(Math.max(1, most));
    }

    /** Whether a fault of this kind lasts at a node. */
    boolean has(Kind kind, Node node) {
        synchronized (lasting) {
            return lasting.stream().anyMatch(one -> one.fault.fault() == kind && one.node.equals(node));
        }
    }

    /** Mends a fault when its time is over, or with {@link #all}; then marks {@code text}. */
    void add(Fault fault, Node node, String text, Mending mending) {
        Lasting added = new Lasting(fault, node, mending);
        synchronized (lasting) {
            lasting.add(added);
        }
        fault.lasts().ifPresent(seconds -> {
            var unused = timer.schedule(
                    () -> {
                        if (mend(added)) {
                            marks.accept(text);
                        }
                    },
                    seconds,
                    TimeUnit.SECONDS);
        });
    }

    /** Mends all, frozen nodes first: the others may have to answer. */
    void all() {
        List<Lasting> all;
        synchronized (lasting) {
            all = new ArrayList<>(lasting);
        }
        all.sort(Comparator.comparing(one -> one.fault.fault() != Kind.FREEZE));
        all.forEach(this::mend);
    }

    /** Whether it was mended now. */
    private boolean mend(Lasting one) {
        synchronized (lasting) {
            if (one.isBeingMended) {
                return false;
            }
            one.isBeingMended = true;
        }
        try {
            one.mending.run();
            return true;
        } catch (AdminException e) {
            LOG.info("{} needs no healing: {}", one.fault, e.getMessage());
        } catch (IOException e) {
            marks.accept(one.fault + " cannot be mended: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            synchronized (lasting) {
                lasting.remove(one);
            }
        }
        return false;
    }

    /** Mends all. */
    @Override
    public void close() {
        timer.shutdownNow();
        all();
    }
}
