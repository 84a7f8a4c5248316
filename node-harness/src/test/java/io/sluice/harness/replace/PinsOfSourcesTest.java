package io.sluice.harness.replace;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.agent.AgentMessages.Pinned;
import io.sluice.harness.agent.AgentMessages.Replicas;
import io.sluice.sstable.token.TokenRange;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.store.TableRef;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Snapshots at all sources. */
class PinsOfSourcesTest {
    private static final TableRef USERS = new TableRef(new UUID(3, 3), "shop", "users");
    private static final TokenRanges RANGES = TokenRanges.of(TokenRange.of(0, 50));

    @Test
    void all_sources_pin_at_the_same_time_so_that_they_differ_by_few_writes() throws Exception {
        try (FakeAgent one = new FakeAgent("10.0.0.1:7000");
                FakeAgent two = new FakeAgent("10.0.0.2:7000");
                FakeAgent target = new FakeAgent("10.0.0.4:7000")) {
            target.tables(USERS);
            CountDownLatch asked = new CountDownLatch(2);
            Queue<Boolean> together = new ConcurrentLinkedQueue<>();
            for (FakeAgent source : List.of(one, two)) {
                source.data(Map.of(USERS, 1L), new Replicas(Map.of(), Map.of()));
                source.answer("/pin", order -> {
                    asked.countDown();
                    together.add(await(asked));
                    return List.of(new Pinned(USERS, 1, 1, List.of("nb"), false));
                });
            }
            JoinPlan plan = new JoinPlan(
                    "shop",
                    List.of("(0,50]"),
                    Map.of("10.0.0.1:7000", RANGES, "10.0.0.2:7000", RANGES),
                    Map.of("10.0.0.1:7000", RANGES));

            PinsOfSources pins = PinsOfSources.take(
                    new UUID(7, 7),
                    member(target),
                    List.of(member(one), member(two)),
                    List.of(plan),
                    new JoinProgress(line -> {}));

            assertThat(together).as("was asked while the other one was").containsExactly(true, true);
            assertThat(pins.bySource()).hasSize(2);
        }
    }

    private static Member member(FakeAgent agent) throws Exception {
        return new Member(agent.client(), agent.client().status());
    }

    private static boolean await(CountDownLatch asked) {
        try {
            return asked.await(2, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
