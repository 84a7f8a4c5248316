package io.sluice.streaming.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;

class PeerLogTest {
    private static final String REFUSED = "refused {}: {}";

    private final AtomicLong now = new AtomicLong(-7);
    private final PeerLog log = new PeerLog(now::get);
    private final Lines lines = new Lines();

    /** Keeps what is written. */
    private static final class Lines extends LegacyAbstractLogger {
        private static final long serialVersionUID = 1L;
        private final transient List<String> written = new ArrayList<>();
        private boolean isDebug;
        private int traces;

        @Override
        protected @Nullable String getFullyQualifiedCallerName() {
            return null;
        }

        @Override
        protected void handleNormalizedLoggingCall(
                Level level,
                @Nullable Marker marker,
                String message,
                Object @Nullable [] arguments,
                @Nullable Throwable trace) {
            traces += trace == null ? 0 : 1;
            written.add(MessageFormatter.basicArrayFormat(message, arguments));
        }

        @Override
        public boolean isTraceEnabled() {
            return false;
        }

        @Override
        public boolean isDebugEnabled() {
            return isDebug;
        }

        @Override
        public boolean isInfoEnabled() {
            return true;
        }

        @Override
        public boolean isWarnEnabled() {
            return true;
        }

        @Override
        public boolean isErrorEnabled() {
            return true;
        }
    }

    private void refuse(String peer, int times) {
        for (int i = 0; i < times; i++) {
            log.write(lines, Level.WARN, peer, REFUSED, peer, "no hello");
        }
    }

    @Test
    void ten_lines_a_minute_about_one_peer_then_a_count() {
        refuse("10.0.0.7", 5_000);
        now.addAndGet(59_999_999_999L);
        refuse("10.0.0.7", 1);

        assertThat(lines.written).hasSize(PeerLog.LINES).containsOnly("refused 10.0.0.7: no hello");

        now.incrementAndGet();
        refuse("10.0.0.7", 1);

        assertThat(lines.written.subList(PeerLog.LINES, lines.written.size()))
                .containsExactly(
                        "10.0.0.7: 4991 more lines like the next one were suppressed:", "refused 10.0.0.7: no hello");
    }

    @Test
    void another_peer_and_another_kind_of_line_are_written() {
        refuse("10.0.0.7", 100);
        refuse("10.0.0.8", 1);
        log.write(lines, Level.INFO, "10.0.0.7", "{}: complete", "plan 1");

        assertThat(lines.written.subList(PeerLog.LINES, lines.written.size()))
                .containsExactly("refused 10.0.0.8: no hello", "plan 1: complete");
    }

    @Test
    void a_thousand_addresses_write_no_more_than_all_may() {
        for (int i = 0; i < 100_000; i++) {
            refuse("10." + (i >> 16) + "." + (i >> 8 & 0xff) + "." + (i & 0xff), 1);
        }

        assertThat(lines.written).hasSize(PeerLog.ALL_LINES);

        now.addAndGet(60_000_000_000L);
        refuse("10.0.0.7", 1);

        assertThat(lines.written).contains(100_000 - PeerLog.ALL_LINES + " more lines about peers were suppressed");
    }

    @Test
    void a_count_outlives_the_kind_that_is_forgotten() {
        LineLimit limit = new LineLimit(1, 10_000);
        limit.decide("10.0.0.7", REFUSED, now.get());
        limit.decide("10.0.0.7", REFUSED, now.get());
        for (int i = 0; i < 1_000; i++) {
            limit.decide("10.0.1." + i, REFUSED, now.get());
        }

        now.addAndGet(60_000_000_000L);

        assertThat(limit.decide("10.0.0.8", REFUSED, now.get()).leftOutInAll()).isOne();
    }

    @Test
    void what_the_peer_says_makes_no_line_of_its_own() {
        log.write(lines, Level.WARN, "10.0.0.7", REFUSED, "10.0.0.7", "x\n2026-11-22 ERROR all is lost\u001b[2J");

        assertThat(lines.written).containsExactly("refused 10.0.0.7: x\\n2026-11-22 ERROR all is lost\\u001b[2J");
    }

    @Test
    void only_the_first_line_has_a_trace() {
        for (int i = 0; i < 3; i++) {
            log.write(lines, Level.WARN, "10.0.0.7", "{}: {}", "plan", "failed", new IllegalStateException("why"));
        }

        assertThat(lines.written).hasSize(3);
        assertThat(lines.traces).isEqualTo(1);
    }

    @Test
    void whoever_looks_closely_gets_every_line() {
        lines.isDebug = true;

        refuse("10.0.0.7", 100);

        assertThat(lines.written).hasSize(100);
    }
}
