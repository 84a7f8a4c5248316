package io.sluice.harness.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.sluice.hook.HookMXBean;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** A hold lasts as long as a coordinator gives orders, and no longer. */
class HookLeaseTest {
    private static final Duration TIMEOUT = Duration.ofMinutes(15);

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5); // a clock may pass its end
    private final FakeHook hook = new FakeHook();
    private final HookLease lease = new HookLease(() -> Optional.of(hook), TIMEOUT, nanos::get);

    /** Of a node in the state that a test gives it; notes the calls. */
    private static final class FakeHook implements HookMXBean {
        private final List<String> heard = new ArrayList<>();
        private String state = "HOLDING";
        private String holdId = "first";
        private Optional<String> failure = Optional.empty();

        @Override
        public String getState() {
            failure.ifPresent(reason -> {
                throw new SecurityException(reason);
            });
            return state;
        }

        @Override
        public String getHoldId() {
            return holdId;
        }

        @Override
        public String getOperation() {
            return "Replace";
        }

        @Override
        public long getHeldMillis() {
            return 0;
        }

        @Override
        public String getReason() {
            return "";
        }

        @Override
        public long getAgentTimeoutMillis() {
            return 120_000;
        }

        @Override
        public Map<String, Map<String, List<String>>> getPlan() {
            return Map.of();
        }

        @Override
        public Map<String, List<String>> getMarked() {
            return Map.of();
        }

        @Override
        public void heartbeat(String id) {
            heard.add("heartbeat " + id);
        }

        @Override
        public void markAvailable(String id, String keyspace, List<String> ranges) {
            heard.add("mark " + id);
        }

        @Override
        public void release(String id) {
            heard.add("release " + id);
        }

        @Override
        public void abort(String id, String reason) {
            heard.add("abort " + id);
        }

        @Override
        public void clearMarks() {
            heard.add("clear");
        }
    }

    @AfterEach
    void close() {
        lease.close();
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @Test
    void a_hold_is_kept_up_until_no_order_has_come_for_the_timeout() {
        lease.beat();
        pass(TIMEOUT.minusNanos(1));
        lease.beat();
        assertThat(hook.heard).containsExactly("heartbeat first", "heartbeat first");

        pass(Duration.ofNanos(1));
        lease.beat();

        assertThat(hook.heard).as("silent, so that the hook lets the node go").hasSize(2);
    }

    @Test
    void an_order_begins_the_time_anew() {
        lease.beat();
        pass(TIMEOUT.minusNanos(1));
        lease.orderReceived();
        pass(TIMEOUT.minusNanos(1));

        lease.beat();

        assertThat(hook.heard).hasSize(2);
    }

    @Test
    void a_new_hold_has_all_of_its_time() {
        lease.beat();
        pass(TIMEOUT);
        lease.beat();
        hook.holdId = "second";

        lease.beat();

        assertThat(hook.heard).containsExactly("heartbeat first", "heartbeat second");
    }

    @Test
    void an_order_about_another_wait_is_refused() throws Exception {
        lease.requireHold("first");

        assertThatThrownBy(() -> lease.requireHold("second"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("this order is about wait second, and the node at")
                .hasMessageContaining(" is in wait first (expected");
        hook.state = "LET_GO";
        assertThatThrownBy(() -> lease.requireHold("first")).hasMessageContaining(" does not wait (expected");
    }

    @Test
    void a_heartbeat_that_fails_is_logged_once_for_each_reason() {
        Logger logger = (Logger) LoggerFactory.getLogger(HookLease.class);
        Level before = logger.getLevel();
        logger.setLevel(Level.WARN);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        try {
            hook.failure = Optional.of("Access Denied");
            lease.beat();
            lease.beat();
            hook.failure = Optional.empty();
            lease.beat();
            hook.failure = Optional.of("Access Denied");
            lease.beat();
        } finally {
            logger.detachAppender(lines);
            logger.setLevel(before);
        }

        assertThat(lines.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .hasSize(2)
                .allMatch(line -> line.contains("no heartbeat") && line.contains("Access Denied"));
    }

    @Test
    void an_order_for_which_the_login_has_no_permission_says_which_it_needs() {
        hook.failure = Optional.of("Access Denied");

        assertThatThrownBy(lease::hook)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Access Denied (expected: a login of JMX that may call io.sluice:type=Hook)");
    }

    @Test
    void a_node_that_does_not_wait_hears_nothing() {
        hook.state = "LET_GO";

        lease.beat();

        assertThat(hook.heard).isEmpty();
    }
}
