package io.sluice.streaming.install;

/**
 * Received data of earlier attempts on one volume, removed piece by piece when its space is needed. Implementations are
 * thread-safe.
 */
interface RetainedData {
    /** About how many bytes become free without it, at least 0. */
    long bytes();

    /**
     * Removes the piece that is needed least. A failure of the disk is logged: then another piece may be removed.
     *
     * @return whether there was one
     */
    boolean removeNext();
}
