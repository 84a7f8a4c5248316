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

/** A folder with a disk of its own, in memory, that can be filled. Needs root on Linux. Not thread-safe. */
public final class SmallDisk implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SmallDisk.class);
    private static final Path MOUNTS = Path.of("/proc/mounts");
    private static final Pattern OCTAL = Pattern.compile("\\\\([0-7]{3})");
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
     * Puts a disk on a folder, which is made if need be.
     *
     * @throws IOException with what the system said, if it does not let us
     */
    public static SmallDisk mount(Path folder, long bytes) throws IOException, InterruptedException {
        OwnerOnly.createDirectories(folder);
        try {
            Namespaces.run("mount", "-t", "tmpfs", "-o", "mode=0700,size=" + bytes, "tmpfs", folder.toString());
        } catch (IOException | InterruptedException e) { // whoever ended us may have been too late for the command
            remove(place -> place.equals(folder.toRealPath()));
            throw e;
        }
        return new SmallDisk(folder);
    }

    /** Takes all disks away that runs which were killed have left somewhere below a folder. */
    public static void removeBelow(Path folder) throws IOException, InterruptedException {
        if (!isPossible() || !Files.isDirectory(folder)) {
            return;
        }
        Path real = folder.toRealPath(); // as the kernel lists it
        remove(place -> !place.equals(real) && place.startsWith(real));
    }

    /** Chooses by the place of a disk. */
    private interface Choice {
        boolean isMeant(Path place) throws IOException;
    }

    private static void remove(Choice choice) throws IOException, InterruptedException {
        for (String line : Files.readAllLines(MOUNTS)) {
            String[] fields = line.split(" ", -1);
            Path place = Path.of(unescaped(fields[1]));
            if (fields[2].equals("tmpfs") && choice.isMeant(place)) {
                LOG.info("the disk at {} was left by a run that was ended", place);
                unmount(place);
            }
        }
    }

    /** Blanks and the like are octal there. */
    private static String unescaped(String field) {
        return OCTAL.matcher(field)
                .replaceAll(octal -> Matcher.quoteReplacement(Character.toString(Integer.parseInt(octal.group(1), 8))));
    }

    /** If somebody still has a file of it open, its place is free all the same, and the disk goes with that file. */
    private static void unmount(Path folder) throws IOException, InterruptedException {
        try {
            Namespaces.run("umount", folder.toString());
        } catch (IOException busy) {
            LOG.debug("{}: {}", folder, busy.getMessage());
            Namespaces.run("umount", "-l", folder.toString());
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
            unmount(folder);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
