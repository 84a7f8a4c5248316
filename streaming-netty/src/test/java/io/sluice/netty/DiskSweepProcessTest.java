package io.sluice.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.token.TokenRanges;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two real processes of which one has a disk that fails once, at its n-th call, for every n of a plan of two tables,
 * one whole and one in part: the plan ends, nothing that is said of it is wrong, and after a second try all is there.
 * Prints how many calls were made to fail.
 */
@Tag("full")
class DiskSweepProcessTest {
    /** Memory that cannot be had is a matter of the sweep in one process. */
    private static final Set<SweptDisk.Fault> OF_DISKS = EnumSet.complementOf(EnumSet.of(SweptDisk.Fault.NO_MEMORY));

    @TempDir
    Path temp;

    private final List<SweepNode> processes = new ArrayList<>();
    private String whole = "";
    private String half = "";

    @AfterEach
    void end() {
        processes.forEach(SweepNode::kill);
    }

    private SweepNode node(String name) throws IOException {
        SweepNode node = SweepNode.start(name, temp);
        processes.add(node);
        return node;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Timeout(600)
    void some_calls_fail(boolean areSlices) throws Exception {
        sweep(areSlices, 16);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("soak")
    @Timeout(14_400)
    void every_call_fails(boolean areSlices) throws Exception {
        sweep(areSlices, 1);
    }

    /**
     * @param areSlices whether a part of an SSTable travels as a slice, or else as rows
     * @param step of the calls, each fault begins with another one
     */
    private void sweep(boolean areSlices, int step) throws Exception {
        Path data = temp.resolve("source");
        TestTables.store(data, 2, 16 << 10);
        whole = TwoTables.digest(data, 0, TokenRanges.FULL);
        half = TwoTables.digest(data, 1, SweepProcess.HALF);
        SweepNode source = node("source");
        SweepNode receiver = node("receiver");
        int failures = 0;
        int refused = 0;
        for (SweepNode faulty : List.of(receiver, source)) {
            for (SweptDisk.Fault fault : OF_DISKS) {
                int calls = 0;
                int ended = 0;
                boolean isFired = true;
                for (int n = 1 + fault.name().length() % step; isFired; n += step) {
                    String words = " " + fault + " " + n + " " + areSlices;
                    String none = " EIO " + Integer.MAX_VALUE + " " + areSlices;
                    String what = (faulty == source ? "source" : "receiver") + words;
                    Path target = target();
                    String first = run(
                            source,
                            receiver,
                            data,
                            target,
                            faulty == source ? words : none,
                            faulty == source ? none : words);
                    String said = faulty.say("fired");
                    isFired = said.endsWith("true");
                    requireTrue(what, first, target);
                    stop(source, receiver);
                    if (!first.startsWith("result true true")) {
                        ended++;
                        String second = run(source, receiver, data, target, none, none);
                        assertThat(second).as("%s, then again", what).startsWith("result true true");
                        requireTrue(what, second, target);
                        stop(source, receiver);
                    }
                    calls += isFired ? 1 : 0;
                    remove(target);
                }
                failures += calls;
                refused += ended;
                System.out.printf(
                        "%s at the %s, %s: %d calls failed, %d plans ended by it, all whole after a second try%n",
                        fault, faulty == source ? "source" : "receiver", areSlices ? "slices" : "rows", calls, ended);
            }
        }
        System.out.printf("in all: %d calls failed, %d plans ended by it%n", failures, refused);
        assertThat(failures).isPositive();
    }

    private String run(SweepNode source, SweepNode receiver, Path data, Path target, String atSource, String atReceiver)
            throws IOException {
        int port = TestTables.freePort();
        String begun = source.say("start " + data + " " + port + atSource);
        if (!begun.equals("started")) {
            return begun;
        }
        String ready = receiver.say("start " + target + " " + TestTables.freePort() + atReceiver);
        return ready.equals("started") ? receiver.say("fetch source " + port) : ready;
    }

    private static void stop(SweepNode source, SweepNode receiver) throws IOException {
        assertThat(source.say("stop")).isEqualTo("stopped");
        assertThat(receiver.say("stop")).isEqualTo("stopped");
    }

    /** Each table is whole if that was said, and otherwise whole or not there at all. */
    private void requireTrue(String what, String said, Path target) throws IOException {
        assertThat(said).as(what).matches("(?s)(result (true|false) (true|false) ?.*|refused .+)");
        String[] words = said.split(" ", -1);
        boolean isResult = words[0].equals("result");
        requireTrue(
                what + ", whole",
                isResult && words[1].equals("true"),
                TwoTables.digest(target, 0, TokenRanges.FULL),
                whole);
        requireTrue(
                what + ", part",
                isResult && words[2].equals("true"),
                TwoTables.digest(target, 1, TokenRanges.FULL),
                half);
        if (isResult && (words[1].equals("false") || words[2].equals("false"))) {
            assertThat(words.length).as("%s: no reason", what).isGreaterThan(3);
        }
    }

    private static void requireTrue(String what, boolean isSaid, String found, String expected) throws IOException {
        if (isSaid || !found.equals(TwoTables.nothing())) {
            assertThat(found).as(what).isEqualTo(expected);
        }
    }

    private Path target() throws IOException {
        Path target = temp.resolve("target");
        TestTables.store(target, 2, 0);
        return target;
    }

    private static void remove(Path tree) throws IOException {
        try (Stream<Path> walk = Files.walk(tree)) {
            for (Path path : walk.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
