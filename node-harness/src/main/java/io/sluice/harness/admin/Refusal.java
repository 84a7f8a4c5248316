package io.sluice.harness.admin;

import io.sluice.sstable.component.Printable;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** The answer to a request that failed: why, in one sentence and one line. Immutable. */
public record Refusal(String reason) {
    public Refusal {
        reason = Printable.text(reason);
    }

    /** What {@code failure} says of itself; of exceptions that do not say it, what their type means. */
    public static Refusal because(Throwable failure) {
        String message = failure.getMessage();
        if (failure instanceof FileSystemException disk && disk.getReason() == null) {
            return new Refusal(disk.getFile() + ": " + meaning(disk));
        }
        return new Refusal(message == null ? failure.toString() : message);
    }

    private static String meaning(FileSystemException failure) {
        if (failure instanceof NoSuchFileException) {
            return "no such file or folder";
        }
        if (failure instanceof AccessDeniedException) {
            return "not permitted (expected: a path that this user may read and write)";
        }
        if (failure instanceof FileAlreadyExistsException) {
            return "is there already";
        }
        return failure.getClass().getSimpleName();
    }

    @Override
    public String toString() {
        return reason;
    }
}
