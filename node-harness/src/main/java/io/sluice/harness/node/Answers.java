package io.sluice.harness.node;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for what the engine says of itself, but not for ever. Stateless. */
final class Answers {
    private static final int PATIENCE_SECONDS = 10;

    private Answers() {}

    /**
     * The answer.
     *
     * @param what it is about, for people
     * @throws IOException if it does not come, or is a failure
     */
    static <T> T of(CompletableFuture<T> answer, String what) throws IOException {
        try {
            return answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new IOException("the node did not say " + what + " within " + PATIENCE_SECONDS + " s", e);
        } catch (ExecutionException e) {
            throw new IOException("the node cannot say " + what + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while the node was asked " + what);
        }
    }
}
