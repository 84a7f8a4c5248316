package io.sluice.streaming.guard;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.io.IOException;

/**
 * A call of the embedding database. Anything it throws becomes an exception that names the call, so that an
 * {@link Error} (an assertion, a missing class) is handled like any other failure: it ends the operation, and both
 * nodes learn the reason. A thread that the call leaves interrupted, as after an InterruptedException that it has
 * caught, is not interrupted afterwards: the next use of a file would fail.
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
        boolean wasInterrupted = Thread.currentThread().isInterrupted();
        try {
            return call.run();
        } catch (IOException | StreamException e) {
            throw e;
        } catch (Throwable e) {
            throw failed(name, e);
        } finally {
            forgetInterruption(wasInterrupted);
        }
    }

    /**
     * Calls a method of the database that throws no checked exception.
     *
     * @throws StreamException as {@link #named}
     */
    static <T> T asked(String name, UncheckedCall<T> question) {
        boolean wasInterrupted = Thread.currentThread().isInterrupted();
        try {
            return question.run();
        } catch (StreamException e) {
            throw e;
        } catch (Throwable e) {
            throw failed(name, e);
        } finally {
            forgetInterruption(wasInterrupted);
        }
    }

    private static void forgetInterruption(boolean wasInterrupted) {
        if (!wasInterrupted) {
            Thread.interrupted();
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
