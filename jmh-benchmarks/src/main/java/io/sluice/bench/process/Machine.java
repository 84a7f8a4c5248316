package io.sluice.bench.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What a measurement ran on. Stateless. */
public final class Machine {
    private Machine() {}

    /** Processors, system, and the file system of {@code folder}, in words. */
    public static String text(Path folder) throws IOException {
        return Runtime.getRuntime().availableProcessors() + " processors, " + System.getProperty("os.name") + " "
                + System.getProperty("os.version") + " " + System.getProperty("os.arch") + ", "
                + Files.getFileStore(folder).type();
    }
}
