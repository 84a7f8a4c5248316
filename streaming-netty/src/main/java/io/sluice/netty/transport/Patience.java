package io.sluice.netty.transport;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Ends a connection that has not done in time what it was to do. Not thread-safe: confined to its event loop. */
public final class Patience {
    private @Nullable Future<?> deadline;

    /**
     * From now on {@code connection} has so long; of two deadlines the newer one counts.
     *
     * @param what is to come, as {@code welcome}, for the reason
     */
    public void begin(Connection connection, long seconds, String what) {
        end();
        deadline = connection.after(
                seconds,
                TimeUnit.SECONDS,
                () -> connection.fail(
                        new StreamException(ErrorCode.TIMEOUT, "no " + what + " within " + seconds + " s")));
    }

    /** It has done it, or is gone: a deadline that ran on would keep the connection in memory until then. */
    public void end() {
        if (deadline != null) {
            deadline.cancel(false);
            deadline = null;
        }
    }
}
