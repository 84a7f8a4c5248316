package io.sluice.streaming.metrics;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** The install of one table's received SSTables, as an event of Java Flight Recorder. For one thread. */
@Name("io.sluice.Install")
@Label("Install of received SSTables")
@Category("Sluice")
@StackTrace(false)
public final class InstallFlightEvent extends Event {
    @Label("Table")
    private final String table;

    @Label("SSTables")
    private int sstables;

    @Label("Bytes")
    @DataAmount
    private long bytes;

    @Label("Failure")
    private String failure = "";

    /** Begins the event now. */
    public InstallFlightEvent(String table) {
        this.table = table;
        begin();
    }

    /** Ends the event, and writes it if a recording is running. */
    public void complete(int installedSSTables, long installedBytes) {
        end();
        sstables = installedSSTables;
        bytes = installedBytes;
        commit();
    }

    /** Ends the event as failed, and writes it if a recording is running. */
    public void fail(String reason) {
        end();
        failure = reason;
        commit();
    }

    @Override
    public String toString() {
        return table + " " + sstables + " " + bytes + " " + failure;
    }
}
