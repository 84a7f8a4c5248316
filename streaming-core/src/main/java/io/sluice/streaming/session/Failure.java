package io.sluice.streaming.session;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;

/**
 * Why a session failed. Immutable.
 *
 * @param reason a sentence for an operator
 */
public record Failure(ErrorCode code, String reason) {

    /** The failure that an exception stands for; an exception without code is a disk's or a defect's. */
    public static Failure of(Throwable cause) {
        if (cause instanceof StreamException e) {
            return new Failure(e.code(), String.valueOf(e.getMessage()));
        }
        return new Failure(codeOf(cause), cause.getClass().getSimpleName() + ": " + cause.getMessage());
    }

    private static ErrorCode codeOf(Throwable cause) {
        if (!(cause instanceof java.io.IOException)) {
            return ErrorCode.INTERNAL;
        }
        // The JDK gives no number for it, only the words of the system.
        boolean isFull = String.valueOf(cause.getMessage()).contains("No space left on device");
        return isFull ? ErrorCode.DISK_FULL : ErrorCode.DISK;
    }

    @Override
    public String toString() {
        return code + ": " + reason;
    }
}
