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
final class InstallFlightEvent extends Event implements InstallRecord {
    @Label("Table")
    private final String table;

    @Label("SSTables")
    private int sstables;

    @Label("Bytes")
    @DataAmount
    private long bytes;

    @Label("Failure")
    private String failure = "";

    InstallFlightEvent(String table) {
        this.table = table;
        begin();
    }

    @Override
    public void complete(int installedSSTables, long installedBytes) {
        end();
        sstables = installedSSTables;
        bytes = installedBytes;
        commit();
    }

    @Override
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
