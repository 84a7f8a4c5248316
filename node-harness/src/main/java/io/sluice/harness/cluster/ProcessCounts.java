package io.sluice.harness.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * Number of resources that a process has open at one moment; growth would be a leak. Immutable.
 *
 * @param descriptors open files and sockets
 */
public record ProcessCounts(int descriptors, int threads) {
    /**
     * Counts for a process of this machine.
     *
     * @throws IOException if it has ended, or the platform has no /proc
     */
    public static ProcessCounts of(ProcessHandle process) throws IOException {
        Path proc = Path.of("/proc", Long.toString(process.pid()));
        return new ProcessCounts(entries(proc.resolve("fd")), entries(proc.resolve("task")));
    }

    private static int entries(Path folder) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return (int) all.count();
        }
    }
}
