package io.sluice.streaming.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SystemErrorTest {
    private static final String FULL = "Auf dem Gerät ist kein Speicherplatz mehr verfügbar";
    private static final String TOO_LONG = "Der Dateiname ist zu lang";

    private static final SystemWords GERMAN = SystemWords.learn(Map.of(
            SystemError.ENOSPC,
            () -> {
                throw new IOException(FULL);
            },
            SystemError.ENAMETOOLONG,
            () -> {
                throw new FileSystemException("/nnn", null, TOO_LONG);
            }));

    @Test
    void is_recognised_in_the_words_of_a_translated_process() {
        assertThat(SystemError.of(new IOException("cannot write: " + FULL), GERMAN))
                .contains(SystemError.ENOSPC);
        assertThat(SystemError.of(new FileSystemException("/data/x", null, TOO_LONG), GERMAN))
                .contains(SystemError.ENAMETOOLONG);
        assertThat(SystemError.of(new IOException("Input/output error"), GERMAN))
                .contains(SystemError.EIO);
        assertThat(SystemError.of(new IOException("Eingabe-/Ausgabefehler"), GERMAN))
                .isEmpty();
    }

    @Test
    void a_translated_process_is_warned_of_what_to_do() {
        assertThat(GERMAN.translation())
                .hasValueSatisfying(warning -> assertThat(warning)
                        .contains(FULL)
                        .contains("LC_MESSAGES=C")
                        .contains("LC_ALL"));
    }

    @Test
    void nothing_is_learned_from_usual_words_from_another_error_and_where_there_is_none() {
        SystemWords words = SystemWords.learn(Map.of(
                SystemError.ENOSPC,
                () -> {
                    throw new IOException("No space left on device");
                },
                SystemError.EIO,
                () -> {
                    throw new AccessDeniedException("/proc/self/mem");
                },
                SystemError.ENAMETOOLONG,
                () -> {
                    throw new FileSystemException("/nnn", null, "Operation not permitted");
                },
                SystemError.EROFS,
                () -> {}));

        assertThat(words.translation()).isEmpty();
        assertThat(SystemError.of(new IOException("Operation not permitted"), words))
                .contains(SystemError.EPERM);
    }

    @Test
    void what_kept_a_class_from_being_loaded_says_nothing_of_a_disk() {
        Error initializer = new ExceptionInInitializerError("Read-only file system");

        assertThat(SystemError.of(initializer)).isEmpty();
        assertThat(SystemError.of(new IOException("failed", new NoClassDefFoundError().initCause(initializer))))
                .isEmpty();
    }

    /** Whatever the locale of this process is. */
    @Test
    void a_full_device_is_recognised_here() throws IOException {
        Path full = Path.of("/dev/full");
        assumeTrue(Files.exists(full), "not on this system");
        IOException failure = null;
        try (FileChannel channel = FileChannel.open(full, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.allocate(1));
        } catch (IOException e) {
            failure = e;
        }

        assertThat(failure).isNotNull();
        assertThat(SystemError.of(new IOException(failure))).contains(SystemError.ENOSPC);
    }
}
