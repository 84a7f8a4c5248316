package io.sluice.harness.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.sluice.harness.agent.AgentMessages.Fetch;
import io.sluice.harness.agent.AgentMessages.Fetching;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.log.LogKeys;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.progress.SessionProgress;
import io.sluice.streaming.progress.SessionProgress.TableProgress;
import io.sluice.streaming.progress.StreamActivity.VolumeSample;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class AgentFetchesTest {
    private static final UUID OPERATION = new UUID(0, 7);
    private static final UUID FIRST = new UUID(0, 1);
    private static final UUID SECOND = new UUID(0, 2);

    private static final TableRef USERS = new TableRef(new UUID(3, 3), "shop", "users");
    private static final Node SOURCE =
            new Node(new UUID(4, 4), "10.0.0.1:7010", new Address("10.0.0.1", 7010), List.of());

    private final Plans plans = new Plans();
    private final Map<UUID, Fetch> orders = new LinkedHashMap<>();
    private final AgentFetches fetches = new AgentFetches(plans, orders);

    /** Plans that run until they are cancelled, or for ever. */
    private static final class Plans implements AgentFetches.Engine {
        private final Map<UUID, CompletableFuture<PlanResult>> running = new LinkedHashMap<>();
        private final List<String> cancelled = new ArrayList<>();
        private final List<StreamRequest> requests = new ArrayList<>();
        private final Set<UUID> paused = new TreeSet<>();
        private boolean hangs;

        @Override
        public CompletableFuture<PlanResult> execute(StreamPlan plan) {
            requests.addAll(plan.requests());
            return running.computeIfAbsent(plan.id(), id -> new CompletableFuture<>());
        }

        @Override
        public CompletableFuture<List<SessionProgress>> progress(UUID planId) {
            return CompletableFuture.completedFuture(List.of());
        }

        @Override
        public CompletableFuture<List<TableProgress>> receivedTables(UUID planId) {
            return CompletableFuture.completedFuture(List.of());
        }

        @Override
        public List<VolumeSample> volumes() {
            return List.of();
        }

        @Override
        public long limit() {
            return 0;
        }

        @Override
        public void pause(UUID planId) {
            paused.add(planId);
        }

        @Override
        public void resume(UUID planId) {
            paused.remove(planId);
        }

        @Override
        public void cancel(UUID planId, String reason) {
            cancelled.add(planId + " " + reason);
            if (!hangs) {
                Objects.requireNonNull(running.get(planId)).completeExceptionally(new IllegalStateException(reason));
            }
        }
    }

    private static Fetch fetch(UUID planId) {
        return new Fetch(
                new UUID(0, 8), OPERATION, planId, Operation.REPLACE, SOURCE, List.of(USERS), TokenRanges.FULL);
    }

    @Test
    void what_is_logged_of_a_plan_names_it_by_the_keys_of_all_lines() throws Exception {
        Logger logger = (Logger) LoggerFactory.getLogger(AgentFetches.class);
        Level before = logger.getLevel();
        logger.setLevel(Level.DEBUG);
        ListAppender<ILoggingEvent> lines = new ListAppender<>() {
            @Override
            protected void append(ILoggingEvent event) {
                event.prepareForDeferredProcessing(); // takes the keys
                super.append(event);
            }
        };
        lines.start();
        logger.addAppender(lines);
        try {
            fetches.start(fetch(FIRST));
            fetches.endAll("for a test", Duration.ofSeconds(5), Optional.empty());
        } finally {
            logger.detachAppender(lines);
            logger.setLevel(before);
        }

        assertThat(lines.list)
                .extracting(ILoggingEvent::getMDCPropertyMap)
                .containsExactly(Map.of(LogKeys.PLAN, FIRST.toString()));
    }

    @Test
    void a_repeated_request_starts_nothing() {
        fetches.start(fetch(FIRST));
        fetches.start(fetch(FIRST));

        assertThat(plans.running).containsOnlyKeys(FIRST);
        assertThat(plans.requests).containsExactly(new StreamRequest(SOURCE, USERS, TokenRanges.FULL));
        assertThat(fetches.progress(FIRST).result()).isEmpty();
    }

    @Test
    void a_paused_operation_fetches_nothing_whatever_is_started() {
        fetches.start(fetch(FIRST));

        fetches.pause(OPERATION);
        fetches.start(fetch(SECOND));
        assertThat(plans.paused).containsExactly(FIRST, SECOND);

        fetches.resume(OPERATION);
        assertThat(plans.paused).isEmpty();
    }

    @Test
    void a_pause_is_about_one_operation() {
        fetches.pause(new UUID(0, 99));
        fetches.start(fetch(FIRST));

        assertThat(plans.paused).isEmpty();
    }

    @Test
    void ending_all_cancels_each_and_forgets_it() throws Exception {
        fetches.start(fetch(FIRST));
        fetches.start(fetch(SECOND));

        fetches.endAll("starts again", Duration.ofSeconds(60), Optional.empty());

        assertThat(plans.cancelled).containsExactlyInAnyOrder(FIRST + " starts again", SECOND + " starts again");
        assertThatThrownBy(() -> fetches.progress(FIRST)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void plans_of_an_operation_that_continues_run_on() throws Exception {
        fetches.start(fetch(FIRST));

        fetches.endAll("starts again", Duration.ofSeconds(60), Optional.of(OPERATION));

        assertThat(plans.cancelled).isEmpty();
        assertThat(fetches.fetching(OPERATION))
                .containsExactly(new Fetching(FIRST, SOURCE.id(), List.of(USERS), TokenRanges.FULL));
        assertThat(fetches.fetching(new UUID(0, 99))).isEmpty();

        fetches.endAll("starts again", Duration.ofSeconds(60), Optional.of(new UUID(0, 99)));
        assertThat(plans.cancelled).containsExactly(FIRST + " starts again");
        assertThat(orders).isEmpty();
    }

    @Test
    void a_plan_that_does_not_end_is_named_and_can_be_ended_later() throws Exception {
        fetches.start(fetch(FIRST));
        plans.hangs = true;

        assertThatThrownBy(() -> fetches.endAll("starts again", Duration.ofMillis(1), Optional.empty()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("plan " + FIRST + " did not end");

        plans.hangs = false;
        fetches.endAll("starts again", Duration.ofSeconds(60), Optional.empty());
        assertThatThrownBy(() -> fetches.progress(FIRST)).isInstanceOf(IllegalArgumentException.class);
    }
}
