package io.sluice.streaming.runtime;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Ends a channel whose peer misses a deadline. Confined to the thread of the channel. */
public final class ChannelTimeout {
    private @Nullable Timer deadline;

    /**
     * Sets a deadline for {@code channel}, and replaces a previous one.
     *
     * @param what the expected message, such as {@code welcome}, for the failure reason
     */
    public void begin(PeerChannel channel, long seconds, String what) {
        end();
        deadline = channel.after(
                TimeUnit.SECONDS.toNanos(seconds),
                () -> channel.fail(new StreamException(ErrorCode.TIMEOUT, "no " + what + " within " + seconds + " s")));
    }

    /** Cancels the deadline, also for a closed channel: otherwise it would keep the connection in memory. */
    public void end() {
        if (deadline != null) {
            deadline.cancel();
            deadline = null;
        }
    }
}
