package io.sluice.harness.cli;

import io.sluice.harness.admin.AdminToken;
import io.sluice.harness.admin.Refusal;
import io.sluice.harness.config.ConfigException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Texts in UTF-8 that options name. Stateless. */
public final class TextFile {
    private TextFile() {}

    /**
     * Reads a text.
     *
     * @param expected what it should be, for the message
     * @throws ConfigException naming option and file, if it cannot be read or is not UTF-8
     */
    public static String read(String option, Path file, String expected) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new ConfigException(option + " " + Refusal.because(file, e) + " (expected: " + expected + ")", e);
        }
    }

    /**
     * The token of an admin endpoint.
     *
     * @param whose for the message
     * @throws ConfigException naming option and file, if it is none, or others may read it
     */
    public static AdminToken token(Path file, String whose) {
        if (!Files.exists(file)) {
            throw new ConfigException("--token-file " + file + ": no such file (expected: " + whose + ")");
        }
        try {
            return AdminToken.read(file);
        } catch (IOException e) {
            throw new ConfigException("--token-file " + Refusal.because(file, e), e);
        }
    }

    /**
     * A password, which is in a file, since what is on the command line is in the list of processes.
     *
     * @throws ConfigException naming option and file, if there is none
     */
    public static String password(String option, Path file) {
        return read(option, file, "a password in its first line")
                .lines()
                .findFirst()
                .orElseThrow(() -> new ConfigException(
                        option + " " + file + ": is empty (expected: a password in its first line)"));
    }
}
