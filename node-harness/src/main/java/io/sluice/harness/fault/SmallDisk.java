package io.sluice.harness.fault;

import io.sluice.sstable.encoding.OwnerOnly;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A folder with its own disk in memory, which can be filled. Needs root on Linux. Not thread-safe. */
public final class SmallDisk implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SmallDisk.class);
    private static final Path MOUNTS = Path.of("/proc/mounts");
    private static final Pattern OCTAL = Pattern.compile("\\\\([0-7]{3})");
    private static final String DEVICE = "unix:dev";
    private static final String BALLAST = ".ballast";
    private static final int STEP_BYTES = 64 << 10;

    private final Path folder;

    private SmallDisk(Path folder) {
        this.folder = folder;
    }

    /** Whether this user may mount one: only root on Linux. */
    public static boolean isPossible() {
        return "root".equals(System.getProperty("user.name")) && Files.isReadable(MOUNTS);
    }

    /**
     * Mounts a disk on a folder, which is created if missing.
     *
     * @throws IOException with the system's message, if it refuses
     */
    public static SmallDisk mount(Path folder, long bytes) throws IOException, InterruptedException {
        OwnerOnly.createDirectories(folder);
        try {
            Namespaces.run("mount", "-t", "tmpfs", "-o", "mode=0700,size=" + bytes, "tmpfs", folder.toString());
        } catch (IOException | InterruptedException e) { // the command may have succeeded before we were interrupted
            remove(place -> place.equals(folder.toRealPath()));
            throw e;
        }
        return new SmallDisk(folder);
    }

    /**
     * Hides the disk of a folder: mounts an empty disk over it that takes no bytes. Open files stay open. Closing it
     * makes the disk visible again.
     *
     * @throws IOException with the system's message, if it refuses
     */
    public static SmallDisk cover(Path folder) throws IOException, InterruptedException {
        Namespaces.run("mount", "-t", "tmpfs", "-o", "ro,mode=0700,size=4k", "tmpfs", folder.toString());
        return new SmallDisk(folder);
    }

    /** Whether a process sees it: one that has ended does not, one with mounts of its own may not. */
    public boolean isSeenBy(ProcessHandle process) throws IOException {
        Path itsRoot = Path.of("/proc", Long.toString(process.pid()), "root");
        Path there = itsRoot.resolve(Path.of("/").relativize(folder.toRealPath()));
        return Files.exists(there) && Files.getAttribute(there, DEVICE).equals(Files.getAttribute(folder, DEVICE));
    }

    /** Unmounts all disks that killed runs left below a folder. */
    public static void removeBelow(Path folder) throws IOException, InterruptedException {
        if (!isPossible() || !Files.isDirectory(folder)) {
            return;
        }
        Path real = folder.toRealPath(); // as listed by the kernel
        remove(place -> !place.equals(real) && place.startsWith(real));
    }

    /** Selects disks by mount point. */
    private interface Choice {
        boolean isMeant(Path place) throws IOException;
    }

    private static void remove(Choice choice) throws IOException, InterruptedException {
        for (String line : Files.readAllLines(MOUNTS)) {
            String[] fields = line.split(" ", -1);
            Path place = Path.of(unescaped(fields[1]));
            if (fields[2].equals("tmpfs") && choice.isMeant(place)) {
                LOG.info("removed the disk at {}, orphaned by a run that was killed", place);
                unmount(place);
            }
        }
    }

    /** Decodes octal escapes of blanks and similar characters. */
    private static String unescaped(String field) {
        return OCTAL.matcher(field)
                .replaceAll(octal -> Matcher.quoteReplacement(Character.toString(Integer.parseInt(octal.group(1), 8))));
    }

    /**
     * If a process still has a file open, the mount point is free nevertheless, and the disk is released with that
     * file.
     */
    private static void unmount(Path folder) throws IOException, InterruptedException {
        try {
            Namespaces.run("umount", folder.toString());
        } catch (IOException busy) {
            LOG.debug("{}: {}", folder, busy.getMessage());
            Namespaces.run("umount", "-l", folder.toString());
        }
    }

    /** Fills the disk. */
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

    /** Frees the room that {@link #fill} took. */
    public void free() throws IOException {
        Files.deleteIfExists(folder.resolve(BALLAST));
    }

    /** Unmounts the disk and loses its content. */
    @Override
    public void close() throws IOException {
        try {
            unmount(folder);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
