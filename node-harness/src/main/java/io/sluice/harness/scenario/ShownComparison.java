package io.sluice.harness.scenario;

import io.sluice.harness.report.RunReport.Check;
import io.sluice.harness.report.RunReport.Held;
import io.sluice.harness.report.Step;
import io.sluice.harness.report.WorkProgress;
import io.sluice.streaming.store.TableRef;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Shows people a comparison: how far it is, each range that differs, the first of those that do not, and at the end how
 * many there were. Not thread-safe: confined to the thread that compares, which closes it.
 */
final class ShownComparison implements ContentVerification.Listener, AutoCloseable {
    private static final int MAX_CHECKS_TOLD = 12;

    private final RunListeners listeners;
    private final Consumer<Check> next;
    private final AtomicReference<Step> step = new AtomicReference<>(Step.ofBytes("comparing", 0, 0));
    private final WorkProgress progress = WorkProgress.of(step::get);
    private int told;
    private int equal;

    /** @param next is notified, too */
    ShownComparison(RunListeners listeners, Consumer<Check> next) {
        this.listeners = listeners;
        this.next = next;
    }

    @Override
    public void begins(TableRef table, int ranges) {
        step.set(new Step("comparing " + table, 0, ranges, "ranges"));
    }

    @Override
    public void made(Check check) {
        step.updateAndGet(now -> now.plus(1));
        told++;
        equal += check.equal() ? 1 : 0;
        if (!check.equal() || told <= MAX_CHECKS_TOLD) {
            progress.aside(() -> listeners.print("  " + check.table() + " " + check.range()
                    + (check.equal() ? ": equal" : ": DIFFERENT") + " on "
                    + check.held().stream().map(Held::node).collect(Collectors.joining(", "))));
        }
        next.accept(check);
    }

    @Override
    public void close() {
        progress.close();
        if (told > MAX_CHECKS_TOLD) {
            listeners.print("  ... " + told + " ranges in all, " + equal + " of them equal");
        }
    }
}
