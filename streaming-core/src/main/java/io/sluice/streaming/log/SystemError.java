package io.sluice.streaming.log;

import io.sluice.streaming.ErrorCode;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.Optional;

/**
 * Why an operating system refused something, by its own number. The JDK passes on the words of the system only, and for
 * some errors a type of exception instead: both are known here.
 */
public enum SystemError {
    ENOSPC("No space left on device", ErrorCode.DISK_FULL, "make room on that volume"),
    EDQUOT("Disk quota exceeded", ErrorCode.DISK_FULL, "raise the quota of the user that runs this node"),
    EIO("Input/output error", ErrorCode.DISK, "the device is failing: see the kernel's log, and replace it"),
    EROFS("Read-only file system", ErrorCode.DISK, "the volume is mounted read-only: see the kernel's log"),
    EACCES("Permission denied", ErrorCode.DISK, "give the user that runs this node the right to do so"),
    EPERM("Operation not permitted", ErrorCode.DISK, "is the file immutable, or of another user?"),
    ENAMETOOLONG("File name too long", ErrorCode.DISK, "use a data directory with a shorter path"),
    ENOENT("No such file or directory", ErrorCode.DISK, "who has removed it?"),
    EEXIST("File exists", ErrorCode.DISK, "who has made it?"),
    EXDEV("Invalid cross-device link", ErrorCode.DISK, "staging and live folders must be on one file system"),
    ESTALE("Stale file handle", ErrorCode.DISK, "the server of this mount has forgotten the file: mount it again"),
    EMFILE(
            "Too many open files",
            ErrorCode.LIMIT,
            "this process has no file descriptor left: raise its limit ('ulimit -n', LimitNOFILE of its service), or"
                    + " lower streaming_connections_per_host"),
    ENFILE("Too many open files in system", ErrorCode.LIMIT, "the machine has none left: raise fs.file-max");

    private static final int DEPTH = 5;

    private final String words;
    private final ErrorCode code;
    private final String advice;

    SystemError(String words, ErrorCode code, String advice) {
        this.words = words;
        this.code = code;
        this.advice = advice;
    }

    /** What a session fails with that meets it. */
    public ErrorCode code() {
        return code;
    }

    /** What an operator may do, as a part of a sentence. */
    public String advice() {
        return advice;
    }

    /** What {@code failure}, or what caused it, stands for; empty if the system had no part in it. */
    public static Optional<SystemError> of(Throwable failure) {
        Throwable at = failure;
        for (int i = 0; at != null && i < DEPTH; i++) {
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
                if (message.contains(error.words) && !(error == EMFILE && message.contains(ENFILE.words))) {
                    return Optional.of(error);
                }
            }
            at = at.getCause();
        }
        return Optional.empty();
    }
}
