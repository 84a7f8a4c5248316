package io.sluice.bench;

import java.io.Closeable;
import java.io.IOException;

/** What sends and what receives, one of them measured. Closing ends both and removes their files. */
interface TwoEnds extends Closeable {
    /** Removes what has arrived: between two operations, since nobody shall measure it. */
    void removeArrived() throws IOException;
}
