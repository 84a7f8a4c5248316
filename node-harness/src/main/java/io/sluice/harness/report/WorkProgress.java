package io.sluice.harness.report;

import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import org.jspecify.annotations.Nullable;

/**
 * Shows people how far a command is that takes long: a bar on a terminal, a line now and then anywhere else. What takes
 * no two seconds is not shown as lines. Below the bar there may be lines of details. Thread-safe: guarded by itself; a
 * thread of its own looks at the work.
 */
public final class WorkProgress implements AutoCloseable {
    private static final long MEBIBYTE = 1 << 20;
    private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long FIRST_LINE_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long LINE_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long LOOK_MILLIS = 250;
    private static final String FINISHING = "all of it, finishing";
    private static final String CLEARED_LINE = "\r\u001b[K";
    private static final String CLEARED_LINES = "\r\u001b[%sA\u001b[J";
    /** With the bar, and a line for the cursor, they fit on the smallest usual terminal, of 24 lines. */
    private static final int MOST_DETAILS = 21;

    private final PrintStream out;
    private final boolean isTerminal;
    private final Supplier<Step> work;
    private final Supplier<List<String>> details;
    private @Nullable ProgressBar bar;
    private volatile String picture = "";
    private int drawnDetails;
    private String phase = "";
    private long phaseNanos;
    private long phaseBefore;
    private long nextLineNanos;
    private boolean isSaidComplete;
    private long completeNanos;
    private boolean isOver;

    /** Shows nothing by itself: see {@link #look}. */
    WorkProgress(PrintStream out, boolean isTerminal, Supplier<Step> work, long nowNanos) {
        this(out, isTerminal, work, List::of, nowNanos);
    }

    /**
     * Shows nothing by itself: see {@link #look}.
     *
     * @param details lines that stand below the bar on a terminal
     */
    WorkProgress(
            PrintStream out, boolean isTerminal, Supplier<Step> work, Supplier<List<String>> details, long nowNanos) {
        this.out = out;
        this.isTerminal = isTerminal;
        this.work = work;
        this.details = details;
        this.nextLineNanos = nowNanos + FIRST_LINE_NANOS;
    }

    /**
     * Begins to show on standard error, so that standard output has results alone.
     *
     * @param work says how far it is, on another thread than that which works
     */
    public static WorkProgress of(Supplier<Step> work) {
        return of(work, List::of);
    }

    /**
     * The same with details.
     *
     * @param details lines that stand below the bar on a terminal, where they replace the note of the step, rate and
     *     time left
     */
    public static WorkProgress of(Supplier<Step> work, Supplier<List<String>> details) {
        var progress = new WorkProgress(
                System.err, Boolean.getBoolean("sluice.terminal.err"), work, details, System.nanoTime());
        Thread watcher = new Thread(progress::watch, "progress");
        watcher.setDaemon(true);
        watcher.start();
        return progress;
    }

    /** Shows nothing: for a command whose results appear on the terminal themselves while it works. */
    public static WorkProgress hidden(Supplier<Step> work) {
        return new WorkProgress(System.err, false, work, System.nanoTime());
    }

    private synchronized void watch() {
        try {
            while (!isOver) {
                look(System.nanoTime());
                wait(LOOK_MILLIS);
            }
        } catch (InterruptedException nobodyLooks) {
            Thread.currentThread().interrupt();
        }
    }

    /** Shows how far the work is, if it is time to. */
    synchronized void look(long nowNanos) {
        Step step = work.get();
        if (!step.phase().equals(phase)) {
            clear();
            phase = step.phase();
            phaseNanos = nowNanos;
            phaseBefore = step.done();
            isSaidComplete = false;
        }
        if (isTerminal) {
            draw(step);
        } else if (nowNanos - nextLineNanos >= 0) {
            nextLineNanos = nowNanos + LINE_NANOS;
            out.println(line(step, nowNanos));
        }
    }

    /** All is counted when the disk still has to take it: a second line of 100 % would say less than for how long. */
    private String line(Step step, long nowNanos) {
        if (!step.isComplete()) {
            isSaidComplete = false;
        } else if (isSaidComplete) {
            return Step.ofBytes(phase + ": " + FINISHING, 0, 0).text((nowNanos - completeNanos) / NANOS_PER_SECOND);
        } else {
            isSaidComplete = true;
            completeNanos = nowNanos;
        }
        return step.text((nowNanos - phaseNanos) / NANOS_PER_SECOND, phaseBefore);
    }

    private void draw(Step step) {
        List<String> below = details.get().stream().limit(MOST_DETAILS).toList();
        ProgressBar drawn = bar;
        if (drawn == null) {
            drawn = bar(step, !below.isEmpty());
            bar = drawn;
        }
        drawn.maxHint(step.total() == 0 ? -1 : step.total())
                .stepTo(step.done())
                .setExtraMessage(below.isEmpty() ? note(step) : "")
                .refresh();
        out.print(cleared() + picture);
        int width = new DelegatingProgressBarConsumer(unused -> {}).getMaxRenderedLength();
        below.forEach(line -> out.print("\n" + line.substring(0, Math.min(width, line.length()))));
        drawnDetails = below.size();
        out.flush();
    }

    private static String note(Step step) {
        return step.isComplete() && step.note().isEmpty() ? FINISHING : step.note();
    }

    /** What takes the last picture away, and leaves the cursor where its first line began. */
    private String cleared() {
        String cleared = drawnDetails == 0 ? CLEARED_LINE : CLEARED_LINES.formatted(drawnDetails);
        drawnDetails = 0;
        return cleared;
    }

    private ProgressBar bar(Step step, boolean hasOwnRate) {
        // The library draws on threads of its own, too, which must neither print in between nor wait for this.
        ProgressBarBuilder bar = new ProgressBarBuilder()
                .setTaskName(step.phase())
                .setInitialMax(step.total())
                .setUnit(step.isOfBytes() ? " MiB" : " " + step.things(), step.isOfBytes() ? MEBIBYTE : 1)
                .setConsumer(new DelegatingProgressBarConsumer(drawn -> picture = drawn))
                .setUpdateIntervalMillis(Integer.MAX_VALUE);
        return (hasOwnRate ? bar.hideEta() : bar.showSpeed()).build();
    }

    /** Runs what writes to the same terminal, between two pictures of the bar. */
    public synchronized void aside(Runnable writes) {
        if (bar != null) {
            out.print(cleared());
            out.flush();
        }
        writes.run();
    }

    private void clear() {
        ProgressBar drawn = bar;
        if (drawn != null) {
            bar = null;
            drawn.close();
            out.print(cleared());
            out.flush();
        }
    }

    /** Shows no more, and leaves an empty line to whoever writes next. */
    @Override
    public synchronized void close() {
        isOver = true;
        clear();
        notifyAll();
    }
}
