package io.sluice.streaming.guard;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.io.IOException;

/**
 * A call of the embedding database. Whatever it throws becomes an exception that names the call, so that an
 * {@link Error} (an assertion, a class that is missing) takes the same way as any other failure: it ends what it was
 * called for, and both nodes are notified why.
 *
 * @param <T> the answer
 */
@FunctionalInterface
public interface DatabaseCall<T> {
    T run() throws IOException;

    /**
     * Calls the database.
     *
     * @param name of the call, human-readable
     * @throws StreamException as the database has thrown it, or of code {@link ErrorCode#INTERNAL} instead of any other
     *     unchecked exception or error, which is its cause
     * @throws IOException as the database has thrown it
     */
    static <T> T named(String name, DatabaseCall<T> call) throws IOException {
        try {
            return call.run();
        } catch (IOException | StreamException e) {
            throw e;
        } catch (Throwable e) {
            throw failed(name, e);
        }
    }

    /**
     * The same for a call that throws no checked exception.
     *
     * @throws StreamException as above
     */
    static <T> T asked(String name, UncheckedCall<T> question) {
        try {
            return question.run();
        } catch (StreamException e) {
            throw e;
        } catch (Throwable e) {
            throw failed(name, e);
        }
    }

    private static StreamException failed(String name, Throwable cause) {
        return new StreamException(ErrorCode.INTERNAL, "the database failed in " + name + ": " + cause, cause);
    }

    /** A call that throws no checked exception. */
    @FunctionalInterface
    interface UncheckedCall<T> {
        T run();
    }
}
