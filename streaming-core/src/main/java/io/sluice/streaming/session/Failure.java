package io.sluice.streaming.session;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.SystemError;
import java.io.IOException;
import java.util.Optional;

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
        if (cause instanceof OutOfMemoryError) {
            return new Failure(
                    ErrorCode.LIMIT,
                    "no memory is left: " + cause.getMessage()
                            + "; raise -Xmx or -XX:MaxDirectMemorySize, the limit of threads (ulimit -u) if it names"
                            + " one, or lower streaming_memory or streaming_connections_per_host");
        }
        String reason = cause.getClass().getSimpleName() + ": " + cause.getMessage();
        Optional<SystemError> error = SystemError.of(cause);
        boolean isExplained = error.isEmpty() || reason.contains(error.get().advice());
        return new Failure(
                error.map(SystemError::code).orElse(cause instanceof IOException ? ErrorCode.DISK : ErrorCode.INTERNAL),
                isExplained
                        ? reason
                        : reason + " (" + error.get() + "; " + error.get().advice() + ")");
    }

    @Override
    public String toString() {
        return code + ": " + reason;
    }
}
