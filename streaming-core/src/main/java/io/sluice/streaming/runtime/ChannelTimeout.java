package io.sluice.streaming.runtime;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Ends a channel whose peer has not done in time what it was to do. Confined to the thread of the channel. */
public final class ChannelTimeout {
    private @Nullable Timer deadline;

    /**
     * From now on {@code channel} has so long; of two deadlines the newer one counts.
     *
     * @param what is to come, as {@code welcome}, for the reason
     */
    public void begin(PeerChannel channel, long seconds, String what) {
        end();
        deadline = channel.after(
                TimeUnit.SECONDS.toNanos(seconds),
                () -> channel.fail(new StreamException(ErrorCode.TIMEOUT, "no " + what + " within " + seconds + " s")));
    }

    /** It has done it, or is gone: a deadline that ran on would keep the connection in memory until then. */
    public void end() {
        if (deadline != null) {
            deadline.cancel();
            deadline = null;
        }
    }
}
