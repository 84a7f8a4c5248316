package io.sluice.streaming.metrics;

import io.sluice.streaming.progress.StreamActivity.StreamCounters;
import java.util.concurrent.atomic.LongAdder;

/**
 * The counters of a node. Thread-safe; an update costs a few nanoseconds, and is made per region or buffer, not per
 * byte.
 */
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

    /** Bytes written to sockets. */
    public TableBytes sentByTable() {
        return sentByTable;
    }

    /** Bytes written to files. */
    public TableBytes receivedByTable() {
        return receivedByTable;
    }

    /** Sessions that wait for a session slot at their source. */
    public Waits forSources() {
        return forSources;
    }

    /** Sessions that wait for a buffer. */
    public Waits forMemory() {
        return forMemory;
    }

    /** A file region was sent. */
    public void sent(long bytes) {
        bytesSent.add(bytes);
        regionsSent.increment();
    }

    /** A read of a data connection returned bytes. */
    public void read() {
        socketReads.increment();
    }

    /** Received bytes were written to a file. */
    public void received(long bytes) {
        bytesReceived.add(bytes);
    }

    void wrote() {
        fileWrites.increment();
    }

    void synced() {
        syncs.increment();
    }

    /** An SSTable is received, verified and durable. */
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

    /** A connection was refused. */
    public void refused() {
        connectionsRefused.increment();
    }

    /** Bytes in both directions. */
    public long bytes() {
        return bytesSent.sum() + bytesReceived.sum();
    }

    /** All counters; concurrent updates may be missing. */
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
