package io.sluice.sstable.compression;

import io.sluice.sstable.component.Printable;

/**
 * This process could not load the native library of a codec. The SSTable may be valid, and the disk that holds it
 * healthy. The message, one line, says why, and what to set before the next start: this process will not load it any
 * more.
 */
public final class UnusableCodecException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnusableCodecException(String codec, Error failed) {
        super(
                codec + " cannot be used: its native library could not be loaded: " + reason(failed)
                        + "; set -Djava.io.tmpdir to a folder where this user may write, on a volume without noexec"
                        + " (and on Java 24 and newer --enable-native-access), and start again",
                failed);
    }

    /** Of the first attempt, also in later ones: the virtual machine keeps it. */
    private static String reason(Throwable failed) {
        Throwable at = failed;
        while (at.getCause() != null) {
            at = at.getCause();
        }
        return Printable.text(String.valueOf(at.getMessage()));
    }
}
