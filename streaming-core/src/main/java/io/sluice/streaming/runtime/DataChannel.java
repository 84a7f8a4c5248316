package io.sluice.streaming.runtime;

import io.sluice.streaming.message.Extent;
import java.util.List;

/** The receiving end of one data connection. Thread-safe. */
public interface DataChannel {
    /** Asks the peer for these extents, in this order, after all that was asked for before. */
    void fetch(List<Extent> extents);

    /** Bytes of the extent that is just arriving: it counts only when it has arrived as a whole. */
    long arrivingBytes();

    /** Ends the connection at once; nothing is notified of it. */
    void close();
}
