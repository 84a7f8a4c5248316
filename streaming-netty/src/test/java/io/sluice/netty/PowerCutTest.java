package io.sluice.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.sstable.token.TokenRanges;
import io.sluice.tools.FreePort;
import io.sluice.tools.StartedProcess;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A receiver on a real file system, of which power is cut at a random moment: its data lies on an ext4 in an image file
 * that commits every five minutes, so that only what was synced is in it; the receiver is frozen, the image copied, and
 * the copy mounted and recovered. What was acknowledged is there, the rest is not, and a second try brings all of it.
 */
@Tag("soak")
class PowerCutTest {
    private static final int CUTS = Integer.getInteger("sluice.power.cuts", 50);
    private static final long IMAGE_BYTES = 512L << 20; // sparse; 256 MiB are headroom for the database
    private static final long TABLE_BYTES = 3L << 20;
    private static final String NO_FAULT = " EIO " + Integer.MAX_VALUE + " true";

    @TempDir
    Path temp;

    @Test
    @Timeout(7_200)
    void what_was_acknowledged_survives_and_the_rest_is_gone() throws Exception {
        boolean canMount = canMount();
        if (!canMount) {
            System.out.println("power cuts: 0 of " + CUTS + " done: this user cannot mount images here");
        }
        assumeTrue(canMount, "needs root and loop devices");
        Path data = temp.resolve("source");
        TestTables.store(data, 2, TABLE_BYTES);
        String whole = TwoTables.digest(data, 0, TokenRanges.FULL);
        String half = TwoTables.digest(data, 1, SweepProcess.HALF);
        SweepNode source = SweepNode.start("source", temp);
        Random random = new Random(72);
        long calmMillis = 0;
        int[] states = new int[4]; // tables that were visible after recovery: 0 to 2; acknowledged ones
        for (int cut = 0; cut <= CUTS; cut++) { // the first is none: it shows how long a plan takes
            Path image = image();
            Path copy = temp.resolve("copy.img");
            Path mounted = mount(image, "live");
            SweepNode receiver = SweepNode.start("receiver", temp);
            try {
                TestTables.store(mounted, 2, 0);
                StartedProcess.run("sync", "-f", mounted.toString());
                int port = FreePort.onLoopback();
                assertThat(source.say("start " + data + " " + port + NO_FAULT)).isEqualTo("started");
                assertThat(receiver.say("start " + mounted + " " + FreePort.onLoopback() + NO_FAULT))
                        .isEqualTo("started");
                long start = System.nanoTime();
                if (cut == 0) {
                    assertThat(receiver.say("fetch source " + port)).startsWith("result true true");
                    calmMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
                    continue;
                }
                receiver.send("fetch source " + port);
                Thread.sleep(random.nextLong(1 + calmMillis * 5 / 4)); // at any time
                receiver.process.signal("STOP");
                Thread.sleep(100); // a sync that the kernel has begun ends; what was said before is heard
                String acknowledged = source.say("unpinned");
                StartedProcess.run("cp", "--sparse=always", image.toString(), copy.toString());
                receiver.process.close();
                source.say("stop");

                recover(cut, copy, data, source, acknowledged, whole, half, states);
            } finally {
                receiver.process.close();
                source.say("stop");
                StartedProcess.run("umount", mounted.toString());
            }
        }
        source.kill();
        System.out.printf(
                "%d power cuts in plans of %d ms: after recovery no table was there %d times, one %d, both %d;"
                        + " %d tables were acknowledged before, and all of these were there%n",
                CUTS, calmMillis, states[0], states[1], states[2], states[3]);
    }

    private void recover(
            int cut,
            Path copy,
            Path data,
            SweepNode source,
            String acknowledged,
            String whole,
            String half,
            int[] states)
            throws Exception {
        Path mounted = mount(copy, "cut");
        SweepNode receiver = SweepNode.start("receiver", temp);
        try {
            int port = FreePort.onLoopback();
            assertThat(source.say("start " + data + " " + port + NO_FAULT)).isEqualTo("started");
            assertThat(receiver.say("start " + mounted + " " + FreePort.onLoopback() + NO_FAULT))
                    .as("cut %d: recovery", cut)
                    .isEqualTo("started");
            boolean isWhole = isThere(cut, mounted, 0, whole, acknowledged);
            boolean isHalf = isThere(cut, mounted, 1, half, acknowledged);
            states[(isWhole ? 1 : 0) + (isHalf ? 1 : 0)]++;
            states[3] += (int) List.of("unpin t0", "unpin t1").stream()
                    .filter(acknowledged::contains)
                    .count();

            assertThat(receiver.say("fetch source " + port))
                    .as("cut %d, again", cut)
                    .startsWith("result true true");
            assertThat(TwoTables.digest(mounted, 0, TokenRanges.FULL)).isEqualTo(whole);
            assertThat(TwoTables.digest(mounted, 1, TokenRanges.FULL)).isEqualTo(half);
            assertThat(receiver.say("stop")).isEqualTo("stopped");
        } finally {
            receiver.process.close();
            source.say("stop");
            StartedProcess.run("umount", mounted.toString());
        }
    }

    /** Whether a table is there: whole, and always if it was acknowledged. */
    private static boolean isThere(int cut, Path mounted, int table, String expected, String acknowledged)
            throws IOException {
        String found = TwoTables.digest(mounted, table, TokenRanges.FULL);
        boolean isThere = !found.equals(TwoTables.nothing());
        if (isThere || acknowledged.contains("unpin t" + table)) {
            assertThat(found)
                    .as("cut %d, table %d, acknowledged: %s", cut, table, acknowledged)
                    .isEqualTo(expected);
        }
        return isThere;
    }

    private static boolean canMount() {
        return "root".equals(System.getProperty("user.name"))
                && Files.exists(Path.of("/dev/loop-control"))
                && Files.exists(Path.of("/usr/sbin/mkfs.ext4"));
    }

    private Path image() throws IOException, InterruptedException {
        Path image = temp.resolve("live.img");
        Files.deleteIfExists(image);
        try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
            file.setLength(IMAGE_BYTES);
        }
        StartedProcess.run("/usr/sbin/mkfs.ext4", "-q", "-F", image.toString());
        return image;
    }

    private Path mount(Path image, String name) throws IOException, InterruptedException {
        Path folder = Files.createDirectories(temp.resolve(name));
        StartedProcess.run("mount", "-o", "loop,commit=300", image.toString(), folder.toString());
        return folder;
    }
}
