package io.sluice.streaming.runtime;

import io.sluice.streaming.message.Extent;
import java.util.List;

/** The receiving end of one data connection. Thread-safe. */
public interface DataChannel {
    /** Requests these extents in this order, after all previous ones. */
    void fetch(List<Extent> extents);

    /** Bytes received so far of the current extent, which counts as received only when it is complete. */
    long arrivingBytes();

    /** Ends the connection at once, without notification. */
    void close();
}
