package io.sluice.bench;

import com.google.common.io.MoreFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Temporary folders and free ports. Stateless. */
public final class Scratch {
    private static final int DELETE_ATTEMPTS = 10;

    private Scratch() {}

    /** Creates an empty folder below {@code sluice.bench.target}, or the system's temporary folder. */
    public static Path directory() throws IOException {
        String target = System.getProperty("sluice.bench.target", System.getProperty("java.io.tmpdir"));
        return directory(Path.of(target), "sluice-bench");
    }

    /** Creates an empty folder that is removed when this process ends, also by Ctrl-C; it may be removed earlier. */
    public static Path directory(Path parent, String prefix) throws IOException {
        Path directory = Files.createTempDirectory(parent, prefix);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> deleteAtEnd(directory), "delete-scratch"));
        return directory;
    }

    /** Threads of the benchmark may still write to it. */
    private static void deleteAtEnd(Path directory) {
        for (int attempt = 1; Files.exists(directory); attempt++) {
            try {
                delete(directory);
            } catch (IOException e) {
                if (attempt == DELETE_ATTEMPTS) {
                    System.err.println(directory + " could not be removed: " + e);
                    return;
                }
            }
        }
    }

    /** Removes all files of a folder without folders. */
    static void empty(Path directory) throws IOException {
        for (Path file : OneTableStore.files(directory)) {
            Files.delete(file);
        }
    }

    /** Removes a folder and all in it. */
    public static void delete(Path directory) throws IOException {
        MoreFiles.deleteRecursively(directory);
    }
}
