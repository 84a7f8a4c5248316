package io.sluice.netty;

import static io.sluice.tools.Waiting.await;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.netty.CutProxy.Cut;
import io.sluice.streaming.RetryPolicy;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.ring.Node;
import io.sluice.tools.Relay.Way;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * A session of which one connection ends after any byte, in either direction: the table is live whole, or not at all
 * and with a reason; nothing is left over; the next attempt goes through.
 */
@ExtendWith(LeakCheck.class)
@Tag("full")
class CutAnywhereTest {
    static final RetryPolicy ONCE = new RetryPolicy(1, 1, Duration.ofMillis(1), Duration.ofMillis(1));
    private static final Cut NONE = new Cut(new Way(-1, false), 0, false);
    private static final long SEED = 19;

    @TempDir
    Path temp;

    private int failed;

    @Test
    @Timeout(120)
    void at_some_bytes() throws Exception {
        run(15);
        assertThat(failed).as("attempts that a cut ended").isPositive();
    }

    @Test
    @Tag("soak")
    @Timeout(7200)
    void at_every_byte() throws Exception {
        run(Integer.MAX_VALUE);
    }

    /** @param mostOfAWay cuts of each direction of each connection */
    private void run(int mostOfAWay) throws Exception {
        Node source = TestTables.node("source");
        DirectoryStore store = TestTables.store(temp.resolve("source"), 1, 2 << 10);
        DirectoryStore targetStore = TestTables.store(temp.resolve("target"), 1, 0);
        StreamOptions options =
                StreamOptions.builder().connectionsPerHost(1).retries(ONCE).build();
        try (StreamingNode sender = StreamingNode.start(source, options, store);
                CutProxy proxy = new CutProxy(source.address());
                StreamingNode receiver = StreamingNode.start(TestTables.node("target"), options, targetStore)) {
            Node behind = new Node(source.id(), source.name(), proxy.address(), List.of());
            proxy.next(NONE);
            assertThat(fetch(receiver, behind).isComplete()).isTrue();
            int sstables = targetStore.live.size();
            List<Path> files = liveFiles();
            assertThat(files).hasSizeGreaterThanOrEqualTo(8 * sstables);
            clear(targetStore);
            Map<Way, Long> lengths = proxy.passed();
            assertThat(lengths).as("two connections, two ways each").hasSize(4);

            for (Cut cut : cuts(lengths, mostOfAWay)) {
                proxy.next(cut);
                PlanResult result = fetch(receiver, behind);
                if (result.isComplete()) {
                    requireInstalled(result, targetStore, sstables, files.size());
                } else {
                    failed++;
                    assertThat(result.tables().get(0).reason()).as("%s", cut).isNotBlank();
                    assertThat(liveFiles()).as("%s", cut).isEmpty();
                    assertThat(targetStore.live).isEmpty();
                    proxy.next(NONE);
                    requireInstalled(fetch(receiver, behind), targetStore, sstables, files.size());
                }
                awaitNothingHeld(cut, store, sender, receiver);
            }
            System.out.println("cuts after any byte of " + lengths + ": " + failed + " ended an attempt");
            assertThat(sender.sending().get()).isEmpty();
        }
    }

    private static List<Cut> cuts(Map<Way, Long> lengths, int mostOfAWay) {
        List<Cut> cuts = new ArrayList<>();
        Random random = new Random(SEED);
        lengths.forEach((way, length) -> {
            List<Cut> all = new ArrayList<>();
            for (long after = 0; after < length; after++) {
                all.add(new Cut(way, after, after % 2 == 0));
            }
            Collections.shuffle(all, random);
            cuts.addAll(all.subList(0, Math.min(mostOfAWay, all.size())));
        });
        return cuts;
    }

    private static PlanResult fetch(StreamingNode receiver, Node source) throws Exception {
        return receiver.execute(TestTables.plan(source, 0)).get(30, SECONDS);
    }

    private void requireInstalled(PlanResult result, DirectoryStore store, int sstables, int files) throws IOException {
        assertThat(result.tables()).allMatch(PlanResult.TableResult::installed, "installed");
        assertThat(liveFiles()).hasSize(files);
        assertThat(store.live).hasSize(sstables);
        clear(store);
    }

    private void clear(DirectoryStore store) throws IOException {
        for (Path file : liveFiles()) { // the next one begins with an empty table
            Files.delete(file);
        }
        store.live.clear();
    }

    private List<Path> liveFiles() throws IOException {
        try (Stream<Path> files = Files.list(TestTables.folder(temp.resolve("target"), TestTables.table(0)))) {
            return files.toList();
        }
    }

    private static void awaitNothingHeld(Cut cut, DirectoryStore store, StreamingNode sender, StreamingNode receiver) {
        await().alias(cut + ": nothing is held").atMost(10, SECONDS).until(() -> isQuiet(store, sender, receiver));
    }

    /** But for data connections, which a source ends some seconds after their session. */
    private static boolean isQuiet(DirectoryStore store, StreamingNode sender, StreamingNode receiver) {
        return store.pins.get() == 0
                && Stream.concat(sender.queues().stream(), receiver.queues().stream())
                        .filter(queue -> !queue.name().equals("sending"))
                        .allMatch(queue -> queue.used() == 0);
    }
}
