package io.sluice.streaming.metrics;

import io.sluice.streaming.progress.StreamActivity.StreamCounters;
import java.util.concurrent.atomic.LongAdder;

/** Counts what a node does. Thread-safe; a count costs a few nanoseconds, and is made for pieces, not for bytes. */
public final class Traffic {
    private final LongAdder bytesSent = new LongAdder();
    private final LongAdder bytesReceived = new LongAdder();
    private final LongAdder regionsSent = new LongAdder();
    private final LongAdder socketReads = new LongAdder();
    private final LongAdder fileWrites = new LongAdder();
    private final LongAdder syncs = new LongAdder();
    private final LongAdder sstablesStaged = new LongAdder();
    private final LongAdder installs = new LongAdder();
    private final LongAdder sessionsFailed = new LongAdder();
    private final LongAdder connectionsRefused = new LongAdder();

    private final Activity plans = new Activity();
    private final Activity incoming = new Activity();
    private final Activity outgoing = new Activity();
    private final Activity tableInstalls = new Activity();
    private final TableBytes sentByTable = new TableBytes();
    private final TableBytes receivedByTable = new TableBytes();
    private final Waits forSources = new Waits();
    private final Waits forMemory = new Waits();

    /** Plans that this node executes. */
    public Activity plans() {
        return plans;
    }

    /** Attempts at sessions in which this node receives. */
    public Activity incoming() {
        return incoming;
    }

    /** Attempts at sessions in which this node sends. */
    public Activity outgoing() {
        return outgoing;
    }

    /** Installs of tables, each from its first call of the database to the last. */
    public Activity tableInstalls() {
        return tableInstalls;
    }

    /** Bytes that sockets have taken. */
    public TableBytes sentByTable() {
        return sentByTable;
    }

    /** Bytes that lie in files. */
    public TableBytes receivedByTable() {
        return receivedByTable;
    }

    /** Sessions that wait for another one with the same source to end. */
    public Waits forSources() {
        return forSources;
    }

    /** Sessions that wait for a buffer. */
    public Waits forMemory() {
        return forMemory;
    }

    /** A region of a file has left. */
    public void sent(long bytes) {
        bytesSent.add(bytes);
        regionsSent.increment();
    }

    /** One read of a data connection brought something. */
    public void read() {
        socketReads.increment();
    }

    /** Bytes that came lie in a file. */
    public void received(long bytes) {
        bytesReceived.add(bytes);
    }

    void wrote() {
        fileWrites.increment();
    }

    void synced() {
        syncs.increment();
    }

    /** An SSTable is here, checked and durable. */
    public void staged() {
        sstablesStaged.increment();
    }

    /** A set is live. */
    public void installed() {
        installs.increment();
    }

    /** An attempt at a session has failed. */
    public void sessionFailed() {
        sessionsFailed.increment();
    }

    /** A connection was not let in. */
    public void refused() {
        connectionsRefused.increment();
    }

    /** Bytes in both directions. */
    public long bytes() {
        return bytesSent.sum() + bytesReceived.sum();
    }

    /** All counts; those made at the same time may be missing. */
    public StreamCounters counters() {
        return new StreamCounters(
                bytesSent.sum(),
                bytesReceived.sum(),
                regionsSent.sum(),
                socketReads.sum(),
                fileWrites.sum(),
                syncs.sum(),
                sstablesStaged.sum(),
                installs.sum(),
                sessionsFailed.sum(),
                connectionsRefused.sum());
    }
}
