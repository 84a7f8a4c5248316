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
        boolean fromDisk = cause instanceof java.io.IOException;
        return new Failure(
                fromDisk ? ErrorCode.DISK : ErrorCode.INTERNAL,
                cause.getClass().getSimpleName() + ": " + cause.getMessage());
    }

    @Override
    public String toString() {
        return code + ": " + reason;
    }
}
