package io.sluice.streaming.guard;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
     * @throws StreamException as thrown by the database, or of code {@link ErrorCode#INTERNAL}: with any other
     *     unchecked exception or error as its cause, or if the database returned null
     * @throws IOException with that of the database as its cause
     */
    static <T> T named(String name, DatabaseCall<T> call) throws IOException {
        boolean wasInterrupted = Thread.currentThread().isInterrupted();
        try {
            return required(call.run(), "", name);
        } catch (StreamException e) {
            throw e;
        } catch (IOException e) {
            throw new DatabaseException(message(name, e), e);
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
            return required(question.run(), "", name);
        } catch (StreamException e) {
            throw e;
        } catch (Throwable e) {
            throw failed(name, e);
        } finally {
            forgetInterruption(wasInterrupted);
        }
    }

    /**
     * Asks for a list, and copies it: the database may have made one whose elements are computed later.
     *
     * @throws StreamException as {@link #named}, also for an element that is null
     */
    static <T> List<T> list(String name, UncheckedCall<List<T>> question) {
        return asked(name, () -> {
            List<T> copy = new ArrayList<>();
            for (T element : required(question.run(), "", name)) {
                copy.add(required(element, "as an element ", name));
            }
            return List.copyOf(copy);
        });
    }

    private static <T> T required(@Nullable T result, String where, String name) {
        if (result == null) {
            throw new StreamException(ErrorCode.INTERNAL, "the database returned null " + where + "from " + name);
        }
        return result;
    }

    private static void forgetInterruption(boolean wasInterrupted) {
        if (!wasInterrupted) {
            Thread.interrupted();
        }
    }

    /** The failure of a call, of code {@link ErrorCode#INTERNAL}. */
    static StreamException failed(String name, Throwable cause) {
        return new StreamException(ErrorCode.INTERNAL, message(name, cause), cause);
    }

    private static String message(String name, Throwable cause) {
        return "the database failed in " + name + ": " + cause;
    }

    /** A call that throws no checked exception. */
    @FunctionalInterface
    interface UncheckedCall<T> {
        T run();
    }
}
