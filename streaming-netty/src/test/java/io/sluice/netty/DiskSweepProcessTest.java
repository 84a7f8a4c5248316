package io.sluice.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.encoding.LocalFiles;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.tools.FreePort;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A process whose disk fails once, at its n-th call, for every n of a plan of two tables, one whole and one in part,
 * and which then ends: by itself, or by SIGKILL. The plan ends, nothing that is said of it is wrong, and after a second
 * try, by another process on the same files, all is there. The other end is one process for all cases. Prints how many
 * calls were made to fail, what became of their plans, and how long a case took.
 */
@Tag("full")
class DiskSweepProcessTest {
    /** Memory that cannot be had is a matter of the sweep in one process. */
    private static final Set<SweptDisk.Fault> OF_DISKS = EnumSet.complementOf(EnumSet.of(SweptDisk.Fault.NO_MEMORY));

    /** Threads take turns as they like, so that a plan may need a few calls more the next time. */
    private static final int UNUSED_IN_A_ROW = 3;

    @TempDir
    Path temp;

    private final Set<SweepNode> processes = new LinkedHashSet<>();
    private String whole = "";
    private String half = "";

    @AfterEach
    void end() {
        processes.forEach(SweepNode::kill);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Timeout(600)
    void some_calls_fail(boolean areSlices) throws Exception {
        sweep(areSlices, 32);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("soak")
    @Timeout(14_400)
    void every_call_fails(boolean areSlices) throws Exception {
        sweep(areSlices, 1);
    }

    /** What became of the plans of which a call failed. */
    private static final class Tally {
        private int failed;
        private int complete;
        private int ended;
        private int refused;
        private long nanos;

        void add(String said, long caseNanos) {
            failed++;
            complete += said.startsWith("result true true") ? 1 : 0;
            ended += said.startsWith("result") && !said.startsWith("result true true") ? 1 : 0;
            refused += said.startsWith("refused") ? 1 : 0;
            nanos += caseNanos;
        }

        void add(Tally other) {
            failed += other.failed;
            complete += other.complete;
            ended += other.ended;
            refused += other.refused;
            nanos += other.nanos;
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "%d calls failed: %d plans whole all the same, %d ended by it, %d starts refused, all whole after a"
                            + " second try; %.2f s a case",
                    failed,
                    complete,
                    ended,
                    refused,
                    failed == 0 ? 0 : nanos / 1e9 / failed);
        }
    }

    /** The processes of one sweep. */
    private final class Sweep {
        private final SweepJvm jvm;
        private final boolean areSlices;
        private final Path data;
        private final int wellPort = FreePort.onLoopback();
        private final SweepNode wellReceiver;
        private SweepNode next;

        Sweep(SweepJvm jvm, boolean areSlices) throws IOException, InterruptedException {
            this.jvm = jvm;
            this.areSlices = areSlices;
            this.data = temp.resolve("source");
            TestTables.store(data, 2, 16 << 10);
            TestTables.store(temp.resolve("failing-source"), 2, 16 << 10);
            whole = TwoTables.digest(data, 0, TokenRanges.FULL);
            half = TwoTables.digest(data, 1, SweepProcess.HALF);
            SweepNode wellSource = start("source");
            this.wellReceiver = start("receiver");
            assertThat(wellSource.say("start " + data + " " + wellPort + none()))
                    .isEqualTo("started");
            this.next = start("source");
            Path target = temp.resolve("well-target");
            TestTables.store(target, 2, 0);
            assertThat(wellReceiver.say("start " + target + " " + FreePort.onLoopback() + none()))
                    .isEqualTo("started");
            assertThat(wellReceiver.say("fetch source " + wellPort))
                    .startsWith("result true true")
                    .endsWith("[WHOLE, " + (areSlices ? "SLICE" : "ROWS") + "]");
            assertThat(wellReceiver.say("stop")).isEqualTo("stopped");
        }

        private SweepNode start(String name) throws IOException {
            SweepNode node = SweepNode.start(name, temp, jvm);
            processes.add(node);
            return node;
        }

        private String none() {
            return " EIO " + Integer.MAX_VALUE + " " + areSlices;
        }

        /** The process that was started while the case before ran. */
        private SweepNode fresh(String name) throws IOException {
            SweepNode fresh = next.name.equals(name) ? next : start(name);
            if (fresh != next) {
                next.kill();
                processes.remove(next);
            }
            next = start(name);
            return fresh;
        }

        /** What is said of the plan whose receiver, or source, fails; empty if it needed fewer calls. */
        String fail(boolean isReceiver, SweptDisk.Fault fault, int n) throws Exception {
            String words = " " + fault + " " + n + " " + areSlices;
            String what = (isReceiver ? "receiver" : "source") + words;
            Path target = temp.resolve("target");
            TestTables.store(target, 2, 0);
            SweepNode failing = fresh(isReceiver ? "receiver" : "source");
            String said = isReceiver ? fetchWith(failing, target, words) : fetchFrom(failing, target, words);
            boolean isFired = failing.say("fired").endsWith("true");
            if (n % 2 == 0) {
                failing.kill();
            } else {
                assertThat(failing.say("stop")).as(what).isEqualTo("stopped");
                assertThat(failing.end()).as("%s: exit code", what).isZero();
            }
            processes.remove(failing);
            requireTrue(what, said, target, !isReceiver);
            if (!said.startsWith("result true true")) {
                if (isReceiver) {
                    assertThat(wellReceiver.say("start " + target + " " + FreePort.onLoopback() + none()))
                            .as("%s, then again", what)
                            .isEqualTo("started");
                    requireTrue(what + ", after recovery", said, target, true);
                }
                String second = wellReceiver.say("fetch source " + wellPort);
                assertThat(second).as("%s, then again", what).startsWith("result true true");
                requireTrue(what, second, target, true);
            }
            assertThat(wellReceiver.say("stop")).isEqualTo("stopped");
            new LocalFiles().deleteTree(target);
            return isFired ? said : "";
        }

        private String fetchWith(SweepNode failing, Path target, String words)
                throws IOException, InterruptedException {
            String begun = failing.say("start " + target + " " + FreePort.onLoopback() + words);
            return begun.equals("started") ? failing.say("fetch source " + wellPort) : begun;
        }

        private String fetchFrom(SweepNode failing, Path target, String words)
                throws IOException, InterruptedException {
            assertThat(wellReceiver.say("start " + target + " " + FreePort.onLoopback() + none()))
                    .isEqualTo("started");
            int port = FreePort.onLoopback();
            String begun = failing.say("start " + temp.resolve("failing-source") + " " + port + words);
            return begun.equals("started") ? wellReceiver.say("fetch source " + port) : begun;
        }
    }

    /**
     * @param areSlices whether a part of an SSTable travels as a slice, or else as rows
     * @param step of the calls, each fault begins with another one
     */
    private void sweep(boolean areSlices, int step) throws Exception {
        Sweep sweep = new Sweep(SweepJvm.archived(temp.resolve("archive")), areSlices);
        String way = areSlices ? "slices" : "rows";
        Tally all = new Tally();
        for (boolean isReceiver : new boolean[] {true, false}) {
            for (SweptDisk.Fault fault : OF_DISKS) {
                Tally tally = new Tally();
                int unused = 0;
                for (int n = 1 + fault.name().length() % step; unused < (step > 1 ? 1 : UNUSED_IN_A_ROW); n += step) {
                    long start = System.nanoTime();
                    String said = sweep.fail(isReceiver, fault, n);
                    if (said.isEmpty()) {
                        unused++;
                    } else {
                        unused = 0;
                        tally.add(said, System.nanoTime() - start);
                    }
                    if (tally.failed % 50 == 49) {
                        System.out.printf("... %s, call %d: %s%n", fault, n, tally);
                    }
                }
                System.out.printf("%s at the %s, %s: %s%n", fault, isReceiver ? "receiver" : "source", way, tally);
                all.add(tally);
            }
        }
        System.out.printf("in all, %s: %s%n", way, all);
        assertThat(all.failed).isPositive();
    }

    /**
     * Each table is whole if that was said.
     *
     * @param isSettled whether it is whole or not there at all otherwise: a set that is committed, and of which an
     *     install failed, may lie in the folder in part until a start has finished it, before which no database looks
     */
    private void requireTrue(String what, String said, Path target, boolean isSettled) throws IOException {
        assertThat(said).as(what).matches("(?s)(result (true|false) (true|false) ?.*|refused .+)");
        String[] words = said.split(" ", -1);
        boolean isResult = words[0].equals("result");
        boolean isWhole = isResult && words[1].equals("true");
        boolean isHalf = isResult && words[2].equals("true");
        if (isWhole || isSettled) {
            requireTrue(what + ", whole", isWhole, TwoTables.digest(target, 0, TokenRanges.FULL), whole);
        }
        if (isHalf || isSettled) {
            requireTrue(what + ", part", isHalf, TwoTables.digest(target, 1, TokenRanges.FULL), half);
        }
        if (isResult && !(isWhole && isHalf)) {
            String why = String.join(" ", List.of(words).subList(3, words.length));
            assertThat(why.substring(0, why.lastIndexOf('[')).strip())
                    .as("%s: why", what)
                    .isNotEmpty();
        }
    }

    private static void requireTrue(String what, boolean isSaid, String found, String expected) throws IOException {
        if (isSaid || !found.equals(TwoTables.nothing())) {
            assertThat(found).as(what).isEqualTo(expected);
        }
    }
}
