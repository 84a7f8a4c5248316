package io.sluice.bench;

import com.google.common.io.MoreFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Temporary folders and free ports. Stateless. */
public final class Scratch {
    private static final int DELETE_ATTEMPTS = 10;

    private Scratch() {}

    /** A new empty folder: below {@code sluice.bench.target}, else the system's temporary folder. */
    public static Path directory() throws IOException {
        String target = System.getProperty("sluice.bench.target", System.getProperty("java.io.tmpdir"));
        return directory(Path.of(target), "sluice-bench");
    }

    /** A new empty folder that goes when this process does, also by Ctrl-C; who removes it before may. */
    public static Path directory(Path parent, String prefix) throws IOException {
        Path directory = Files.createTempDirectory(parent, prefix);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> deleteAtEnd(directory), "delete-scratch"));
        return directory;
    }

    /** Threads of the bench may still write into it. */
    private static void deleteAtEnd(Path directory) {
        for (int attempt = 1; Files.exists(directory); attempt++) {
            try {
                delete(directory);
            } catch (IOException e) {
                if (attempt == DELETE_ATTEMPTS) {
                    System.err.println(directory + " is left, remove it: " + e);
                    return;
                }
            }
        }
    }

    /** Removes a folder and all in it. */
    public static void delete(Path directory) throws IOException {
        MoreFiles.deleteRecursively(directory);
    }
}
