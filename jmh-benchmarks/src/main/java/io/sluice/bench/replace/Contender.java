package io.sluice.bench.replace;

import java.io.IOException;
import java.util.function.Consumer;

/** A way to replace the dead node, again and again. Not thread-safe. */
interface Contender {
    /** A few words, the same in tables and on the page. */
    String name();

    /** A sentence: what is measured, and what it checks and makes durable. */
    String what();

    /** Whether each byte is compared with a checksum that its source has sent. */
    boolean isVerified();

    /** Whether all of it survives a loss of power when the time ends. */
    boolean isDurable();

    /**
     * Replaces the node once. Afterwards it is as dead as before.
     *
     * @param told learns what is being done, in a few words
     * @throws IOException if that fails, or the replacement then holds anything else than the dead node did
     */
    Replacement replace(Consumer<String> told) throws IOException, InterruptedException;
}
