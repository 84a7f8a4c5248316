package io.sluice.simulation;

import io.sluice.streaming.engine.send.OfferFactory;
import io.sluice.streaming.store.TableStore;
import java.io.IOException;

/** The database of a node, which shares the life of its process. */
interface SimulatedDatabase {
    /** Makes the database of a node. */
    interface Maker {
        SimulatedDatabase make(SimulatedNode node);
    }

    TableStore store();

    /** How its SSTables are offered. */
    OfferFactory offering();

    /** A new process finds what lies on the disk. After recovery. */
    void restart() throws IOException;

    /** The memory of the process is gone. */
    void die();

    /** Grows with each change of what reads see. */
    long changes();
}
