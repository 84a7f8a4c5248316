package io.sluice.streaming.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * What the C library of this process calls some errors, if not by their usual words: it translates them if the locale
 * says so, and not every library has the same words. Learned by causing the errors, where that is harmless. Immutable.
 */
public final class SystemWords {
    private static final int LONG_NAME = 300;
    private static final SystemWords HERE = learn(Map.of(
            SystemError.ENOSPC, () -> write(Path.of("/dev/full")),
            SystemError.EIO, () -> readFirstByte(Path.of("/proc/self/mem")), // no page is there
            SystemError.ENAMETOOLONG, () -> Files.size(Path.of("/", "n".repeat(LONG_NAME)))));

    private final Map<SystemError, String> words;

    private SystemWords(Map<SystemError, String> words) {
        this.words = words;
    }

    /** Causes one error; does nothing where it cannot. */
    interface Probe {
        void run() throws IOException;
    }

    /** The words of this process. */
    static SystemWords here() {
        return HERE;
    }

    static SystemWords learn(Map<SystemError, Probe> probes) {
        Map<SystemError, String> learned = new EnumMap<>(SystemError.class);
        probes.forEach((error, probe) -> reason(probe)
                .filter(text -> Arrays.stream(SystemError.values()).noneMatch(known -> known.isIn(text)))
                .ifPresent(text -> learned.put(error, text)));
        return new SystemWords(learned);
    }

    private static Optional<String> reason(Probe probe) {
        try {
            probe.run();
            return Optional.empty();
        } catch (FileSystemException e) { // its message begins with the file
            return Optional.ofNullable(e.getReason()).filter(text -> !text.isBlank());
        } catch (IOException e) {
            return Optional.ofNullable(e.getMessage()).filter(text -> !text.isBlank());
        }
    }

    private static void write(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.allocate(1));
        }
    }

    private static void readFirstByte(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            channel.read(ByteBuffer.allocate(1), 0);
        }
    }

    /** Whether {@code message} has the learned words for {@code error}. */
    boolean areIn(String message, SystemError error) {
        String known = words.get(error);
        return known != null && message.contains(known);
    }

    /**
     * A warning for the log if messages of the system are translated in this process: then only a full disk and the
     * errors that could be learned are recognised.
     */
    public static Optional<String> warning() {
        return HERE.translation();
    }

    Optional<String> translation() {
        return Optional.ofNullable(words.get(SystemError.ENOSPC))
                .map(text -> "the system's messages are translated here ('" + text + "'): some errors of disks are not"
                        + " recognised, and a quota that is exceeded counts as a failed disk; start this process with"
                        + " LC_MESSAGES=C, and without LC_ALL, which overrides it");
    }
}
