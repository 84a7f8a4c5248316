package io.sluice.streaming.log;

import io.sluice.sstable.compression.UnusableCodecException;
import io.sluice.streaming.ErrorCode;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.Optional;

/**
 * The operating system errors that Sluice distinguishes. The JDK reports only the system's message, or for some errors
 * an exception type: this is the only place that parses messages, in English or in the {@link SystemWords} of this
 * process.
 */
public enum SystemError {
    ENOSPC("No space left on device", ErrorCode.DISK_FULL, "free space on that volume"),
    EDQUOT("Disk quota exceeded", ErrorCode.DISK_FULL, "raise the quota of the user that runs this node"),
    EIO("Input/output error", ErrorCode.DISK, "the device is failing: see the kernel's log, and replace it"),
    EROFS("Read-only file system", ErrorCode.DISK, "the volume is mounted read-only: see the kernel's log"),
    EACCES("Permission denied", ErrorCode.DISK, "give the user that runs this node the permission"),
    EPERM("Operation not permitted", ErrorCode.DISK, "is the file immutable, or owned by another user?"),
    ENAMETOOLONG("File name too long", ErrorCode.DISK, "use a data directory with a shorter path"),
    ENOENT("No such file or directory", ErrorCode.DISK, "was it removed by another process?"),
    EEXIST("File exists", ErrorCode.DISK, "was it created by another process?"),
    EXDEV("Invalid cross-device link", ErrorCode.DISK, "staging and live folders must be on one file system"),
    ESTALE("Stale file handle", ErrorCode.DISK, "the server of this mount no longer knows the file: remount it"),
    EMFILE(
            "Too many open files",
            ErrorCode.LIMIT,
            "this process has no file descriptor left: raise its limit ('ulimit -n', LimitNOFILE of its service), or"
                    + " lower streaming_connections_per_host"),
    ENFILE(
            "Too many open files in system",
            ErrorCode.LIMIT,
            "the machine has no file descriptor left: raise fs.file-max");

    private static final int DEPTH = 5;

    private final String words;
    private final ErrorCode code;
    private final String advice;

    SystemError(String words, ErrorCode code, String advice) {
        this.words = words;
        this.code = code;
        this.advice = advice;
    }

    /** The error code of a session that fails with it. */
    public ErrorCode code() {
        return code;
    }

    /** What an operator can do, as part of a sentence. */
    public String advice() {
        return advice;
    }

    /** A disk error whose message contains the {@link #advice()} already. */
    public static final class Explained extends IOException implements Worded {
        private static final long serialVersionUID = 1L;

        /** @param cause the original exception */
        public Explained(String message, IOException cause) {
            super(message, cause);
        }
    }

    /** Whether {@code failure}, or one of its causes, is an {@link Explained}. */
    public static boolean isExplained(Throwable failure) {
        Throwable at = failure;
        for (int i = 0; at != null && i < DEPTH; i++) {
            if (at instanceof Explained) {
                return true;
            }
            at = at.getCause();
        }
        return false;
    }

    /** Whether a disk or a quota is full, which is no failure of the device. */
    public static boolean isFull(Throwable failure) {
        return of(failure).filter(error -> error.code == ErrorCode.DISK_FULL).isPresent();
    }

    /** Whether no thread could be created; the JDK throws the same error for threads and for memory. */
    public static boolean isThreadLimit(Throwable failure) {
        return failure instanceof OutOfMemoryError
                && String.valueOf(failure.getMessage()).contains("native thread");
    }

    /** Whether {@code message} has the usual words for it. */
    boolean isIn(String message) {
        return message.contains(words) && !(this == EMFILE && message.contains(ENFILE.words));
    }

    /**
     * The system error behind {@code failure} or one of its causes; empty if there is none, or if it kept a class or a
     * native library from being loaded: that says nothing of the disks of the data.
     */
    public static Optional<SystemError> of(Throwable failure) {
        return of(failure, SystemWords.here());
    }

    static Optional<SystemError> of(Throwable failure, SystemWords here) {
        Throwable at = failure;
        for (int i = 0; at != null && i < DEPTH; i++) {
            if (at instanceof LinkageError || at instanceof UnusableCodecException) {
                return Optional.empty();
            }
            if (at instanceof AccessDeniedException) {
                return Optional.of(EACCES);
            }
            if (at instanceof NoSuchFileException) {
                return Optional.of(ENOENT);
            }
            if (at instanceof FileAlreadyExistsException) {
                return Optional.of(EEXIST);
            }
            String message = String.valueOf(at.getMessage());
            for (SystemError error : values()) {
                if (error.isIn(message) || here.areIn(message, error)) {
                    return Optional.of(error);
                }
            }
            at = at.getCause();
        }
        return Optional.empty();
    }
}
