package io.sluice.harness.fault;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A folder with a disk of its own, in memory, that can be filled. Needs root on Linux. Not thread-safe. */
public final class SmallDisk implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SmallDisk.class);
    private static final String BALLAST = ".ballast";
    private static final int STEP_BYTES = 64 << 10;

    private final Path folder;

    private SmallDisk(Path folder) {
        this.folder = folder;
    }

    /** Whether this user may mount one: only root on Linux. */
    public static boolean isPossible() {
        return "root".equals(System.getProperty("user.name")) && Files.isReadable(Path.of("/proc/mounts"));
    }

    /**
     * Puts a disk on a folder, which is made if need be.
     *
     * @throws IOException with what the system said, if it does not let us
     */
    public static SmallDisk mount(Path folder, long bytes) throws IOException, InterruptedException {
        Files.createDirectories(folder);
        run("mount", "-t", "tmpfs", "-o", "size=" + bytes, "tmpfs", folder.toString());
        return new SmallDisk(folder);
    }

    /** Takes the disk away that a run which was killed has left on a folder. */
    public static void unmountLeftOver(Path folder) throws IOException, InterruptedException {
        Path mounts = Path.of("/proc/mounts");
        if (Files.isReadable(mounts)
                && Files.readAllLines(mounts).stream().anyMatch(line -> line.contains(" " + folder + " "))) {
            run("umount", folder.toString());
        }
    }

    private static void run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + ": " + said.strip());
        }
    }

    /** Takes all room that is left. */
    public void fill() throws IOException {
        try (FileChannel ballast =
                FileChannel.open(folder.resolve(BALLAST), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            ByteBuffer zeros = ByteBuffer.allocate(STEP_BYTES);
            while (true) {
                ballast.write(zeros.clear());
            }
        } catch (IOException full) {
            LOG.info("{} is full: {}", folder, full.getMessage());
        }
    }

    /** Gives that room back. */
    public void free() throws IOException {
        Files.deleteIfExists(folder.resolve(BALLAST));
    }

    /** Takes the disk away, with all that is on it. */
    @Override
    public void close() throws IOException {
        try {
            run("umount", folder.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
