package io.sluice.streaming.engine.send;

import io.sluice.streaming.runtime.NodeContext;
import io.sluice.streaming.transfer.OfferedSSTable;
import io.sluice.streaming.transfer.Offers;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.IntConsumer;

/**
 * Passes on offers while others are prepared: when a page is full, when a heartbeat is due, or when there is no room
 * for more. Thread-safe.
 */
final class OfferPages implements Offers.Progress {
    private static final int MOST = 500;
    private static final UUID NONE = new UUID(0, 0);

    private final NodeContext node;
    private final Preparation.Listener listener;
    private final Runnable step;
    private final IntConsumer sections;
    private final PreparedAhead ahead;
    private final List<OfferedSSTable> page = new ArrayList<>();
    private volatile UUID tableId = NONE;
    /** The first pages are short, so that the receiver begins while the rest is prepared. */
    private int length = 1;

    private long sinceNanos;

    /**
     * @param step runs at each step; an exception ends the preparation
     * @param sections charges the memory of so many sections; an exception refuses the table
     */
    OfferPages(
            NodeContext node, Preparation.Listener listener, Runnable step, IntConsumer sections, PreparedAhead ahead) {
        this.node = node;
        this.listener = listener;
        this.step = step;
        this.sections = sections;
        this.ahead = ahead;
        this.sinceNanos = node.nanoTime();
    }

    PreparedAhead ahead() {
        return ahead;
    }

    /** What follows is about this table. */
    void begin(UUID table) {
        tableId = table;
    }

    @Override
    public void step() {
        step.run();
        flushIfDue();
    }

    @Override
    public void keeps(int more) {
        sections.accept(more);
    }

    @Override
    public boolean hasRoom(long lengthBytes) {
        return ahead.hasRoom(tableId, lengthBytes);
    }

    @Override
    public boolean frees() {
        return ahead.frees();
    }

    @Override
    public synchronized void offered(OfferedSSTable sstable, long temporaryBytes) throws IOException {
        ahead.add(sstable.offer().tableId(), sstable.offer().number(), temporaryBytes);
        page.add(sstable);
        listener.prepared(sstable);
        flushIfDue();
    }

    @Override
    public void replaced(Offers.Replaced damaged) {
        listener.replaced(damaged);
    }

    private synchronized void flushIfDue() {
        boolean isDue =
                node.nanoTime() - sinceNanos >= node.deadlines().heartbeat().toNanos();
        if (page.size() >= length || isDue) {
            flush();
        }
    }

    /** Passes on what is prepared. */
    synchronized void flush() {
        if (!page.isEmpty()) {
            listener.offered(List.copyOf(page));
            page.clear();
            length = Math.min(MOST, 2 * length);
            sinceNanos = node.nanoTime();
        }
    }
}
