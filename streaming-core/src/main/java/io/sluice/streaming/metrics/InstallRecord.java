package io.sluice.streaming.metrics;

import jdk.jfr.FlightRecorder;

/** The install of a table, for Java Flight Recorder. For one thread. */
public interface InstallRecord {
    /** Ends the install, and writes its event if a recording is running. */
    void complete(int installedSSTables, long installedBytes);

    /** Ends the install as failed, and writes its event if a recording is running. */
    void fail(String reason);

    /** Begins now; loads no class of an event in vain, as {@link SessionRecord#begin}. */
    static InstallRecord begin(String table) {
        return FlightRecorder.isInitialized() ? new InstallFlightEvent(table) : new NotRecorded();
    }

    /** Nobody has started the recorder. */
    record NotRecorded() implements InstallRecord {
        @Override
        public void complete(int installedSSTables, long installedBytes) {
            // nobody reads it
        }

        @Override
        public void fail(String reason) {
            // nobody reads it
        }
    }
}
