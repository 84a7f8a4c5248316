package io.sluice.streaming.guard;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.io.IOException;

/**
 * A call of the embedding database. Anything it throws becomes an exception that names the call, so that an
 * {@link Error} (an assertion, a missing class) is handled like any other failure: it ends the operation, and both
 * nodes learn the reason.
 *
 * @param <T> the result
 */
@FunctionalInterface
public interface DatabaseCall<T> {
    T run() throws IOException;

    /**
     * Calls the database.
     *
     * @param name of the call, human-readable
     * @throws StreamException as thrown by the database, or of code {@link ErrorCode#INTERNAL} with any other unchecked
     *     exception or error as its cause
     * @throws IOException as thrown by the database
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
     * Calls a method of the database that throws no checked exception.
     *
     * @throws StreamException as {@link #named}
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
