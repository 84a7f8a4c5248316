package io.sluice.simulation;

import io.sluice.streaming.engine.send.OfferFactory;
import io.sluice.streaming.store.TableStore;
import java.io.IOException;

/** The database of a node; it lives and dies with the process. */
interface SimulatedDatabase {
    /** Creates the database of a node. */
    interface Maker {
        SimulatedDatabase make(SimulatedNode node);
    }

    TableStore store();

    /** How its SSTables are offered. */
    OfferFactory offering();

    /** Restarts after recovery: a new process finds what is on the disk. */
    void restart() throws IOException;

    /** Loses the memory of the process. */
    void die();

    /** Grows with each change that reads see. */
    long changes();
}
