package io.sluice.harness.admin;

import io.sluice.sstable.component.Printable;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** The answer to a request that failed: why, in one sentence and one line. Immutable. */
public record Refusal(String reason) {
    // An exception that only wraps another one begins with the name of its class; the letter of an escaped \t does not.
    private static final Pattern CLASS_NAME =
            Pattern.compile("(?:(?<=\\\\[nrt])|(?<!\\\\)\\b)(?:[a-z]\\w*\\.)+[A-Z]\\w*(?:Exception|Error)(?:: )?");

    public Refusal {
        reason = Printable.text(reason);
    }

    /** What {@code failure} says of itself; of exceptions that do not say it, what their type means. */
    public static Refusal because(Throwable failure) {
        String message = failure.getMessage();
        if (failure instanceof FileSystemException disk && disk.getReason() == null) {
            return new Refusal(disk.getFile() + ": " + meaning(disk));
        }
        String sentence = message == null ? "" : CLASS_NAME.matcher(message).replaceAll("");
        return new Refusal(sentence.isBlank() ? "a failure that says nothing of itself (the log has it)" : sentence);
    }

    /** Why {@code file} cannot be read or written; begins with it, whether or not the failure names it. */
    public static Refusal because(Path file, IOException failure) {
        if (failure instanceof CharacterCodingException) {
            return new Refusal(file + ": is not text in UTF-8");
        }
        if (Files.isDirectory(file)) {
            return new Refusal(file + ": is a folder");
        }
        Refusal reason = because(failure);
        return reason.reason().startsWith(file + ": ") ? reason : new Refusal(file + ": " + reason);
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
        if (failure instanceof NotDirectoryException) {
            return "is not a folder";
        }
        if (failure instanceof DirectoryNotEmptyException) {
            return "is not empty";
        }
        return "the system refuses it, and does not say why";
    }

    @Override
    public String toString() {
        return reason;
    }
}
