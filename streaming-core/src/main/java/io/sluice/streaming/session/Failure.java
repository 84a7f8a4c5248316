package io.sluice.streaming.session;

import io.sluice.sstable.component.Printable;
import io.sluice.sstable.compression.UnusableCodecException;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.log.SystemError;
import io.sluice.streaming.log.Worded;
import io.sluice.streaming.progress.PlanResult;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/**
 * Why a session failed. Immutable.
 *
 * @param reason a sentence for an operator, in one line
 */
public record Failure(ErrorCode code, String reason) {
    private static final int DEPTH = 8;

    public Failure {
        reason = Printable.text(reason);
    }

    /** The failure for an exception; an exception without a code is a disk error or a defect. */
    public static Failure of(Throwable cause) {
        if (cause instanceof StreamException e) {
            return new Failure(e.code(), String.valueOf(e.getMessage()));
        }
        if (SystemError.isThreadLimit(cause)) {
            return new Failure(
                    ErrorCode.LIMIT,
                    "cannot create a thread: " + cause.getMessage()
                            + "; raise the thread limit of the user ('ulimit -u', LimitNPROC of its service), of the"
                            + " service (pids.max of its cgroup, TasksMax) or of the machine (kernel.threads-max), or"
                            + " lower streaming_connections_per_host");
        }
        if (cause instanceof OutOfMemoryError) {
            return new Failure(
                    ErrorCode.LIMIT,
                    "out of memory: " + cause.getMessage()
                            + "; raise -Xmx or -XX:MaxDirectMemorySize, or lower streaming_memory or"
                            + " streaming_connections_per_host");
        }
        String message = String.valueOf(cause.getMessage());
        boolean isWorded = cause instanceof Worded || cause instanceof UnusableCodecException;
        String reason = isWorded ? message : cause.getClass().getSimpleName() + ": " + message;
        if (cause instanceof IOException && isOfAVolume(cause)) {
            return new Failure(ErrorCode.VOLUME_FAILED, reason);
        }
        Optional<SystemError> error = SystemError.of(cause);
        boolean isExplained = error.isEmpty() || SystemError.isExplained(cause);
        return new Failure(
                error.map(SystemError::code).orElse(cause instanceof IOException ? ErrorCode.DISK : ErrorCode.INTERNAL),
                isExplained
                        ? reason
                        : reason + " (" + error.get() + "; " + error.get().advice() + ")");
    }

    /** Whether the failure of one of several volumes is among the causes. */
    private static boolean isOfAVolume(Throwable cause) {
        Throwable at = cause;
        for (int i = 0; at != null && i < DEPTH; i++) {
            if (at instanceof StreamException e && e.code() == ErrorCode.VOLUME_FAILED) {
                return true;
            }
            at = at.getCause();
        }
        return false;
    }

    /**
     * This failure as part of a result.
     *
     * @param peer the peer of the failed session
     */
    public PlanResult.Failure asResult(Optional<UUID> peer, Instant time) {
        return new PlanResult.Failure(code, peer, reason, time);
    }

    /**
     * Rethrows an error of the virtual machine, except a lack of memory or threads, which may be caused by others and
     * be temporary. To be called after the session has failed.
     */
    public static void throwIfFatal(Throwable cause) {
        if (cause instanceof VirtualMachineError fatal && !(cause instanceof OutOfMemoryError)) {
            throw fatal;
        }
    }

    @Override
    public String toString() {
        return code + ": " + reason;
    }
}
