package io.sluice.harness.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.token.Token;
import io.sluice.streaming.progress.SessionProgress;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ProgressLinesTest {
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final ProgressLines lines = new ProgressLines(new PrintStream(printed, true, StandardCharsets.UTF_8));

    private static SessionProgress session(String name, int files, long total, long received) {
        return session(name, SessionProgress.State.STREAMING, files, total, received);
    }

    private static SessionProgress session(
            String name, SessionProgress.State state, int files, long total, long received) {
        Node node = new Node(
                UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)),
                name,
                new Address("127.0.0.1", 7000),
                List.of(new Token(0)));
        return new SessionProgress(
                node,
                state,
                0,
                Instant.EPOCH,
                Optional.empty(),
                1,
                files,
                0,
                total,
                received,
                0,
                List.of(),
                Optional.empty(),
                Optional.empty());
    }

    @Test
    void a_line_has_the_rate_and_the_time_left() {
        lines.show(
                List.of(session("a", 7, 3_000_000, 1_500_000), session("b", 7, 1_000_000, 500_000)),
                TimeUnit.SECONDS.toNanos(1));

        assertThat(printed.toString(StandardCharsets.UTF_8))
                .isEqualToIgnoringNewLines(" 50.0 %  1.91 MiB of 3.81 MiB  1.91 MiB/s  1 s left  (a 50 %, b 50 %)");
    }

    @Test
    void bytes_that_were_here_before_are_progress_but_no_speed() {
        SessionProgress resumed = session("a", 7, 4 << 20, 0).counting(1, 7, 3, 4 << 20, 3 << 20, 2 << 20);

        lines.show(List.of(resumed), TimeUnit.SECONDS.toNanos(1));

        assertThat(printed.toString(StandardCharsets.UTF_8))
                .startsWith(" 75.0 %  3.00 MiB of 4.00 MiB  1.00 MiB/s  1 s left");
    }

    @Test
    void a_source_that_has_told_nothing_yet_is_preparing() {
        lines.show(List.of(session("a", 7, 1000, 0), session("b", 0, 0, 0)), 1);

        assertThat(printed.toString(StandardCharsets.UTF_8)).contains("time left unknown  (a 0 %, b preparing)");
    }

    @Test
    void the_bytes_of_a_source_that_is_tried_again_are_still_to_come() {
        lines.show(List.of(session("a", 7, 1000, 500), session("b", 7, 1000, 500)), TimeUnit.SECONDS.toNanos(1));
        lines.show(
                List.of(session("a", 7, 1000, 1000), session("b", SessionProgress.State.PREPARING, 0, 0, 0)),
                TimeUnit.SECONDS.toNanos(2));
        lines.show(
                List.of(session("a", 7, 2000, 1000), session("b", SessionProgress.State.FAILED, 7, 1000, 500)),
                TimeUnit.SECONDS.toNanos(3));

        assertThat(printed.toString(StandardCharsets.UTF_8).lines().skip(1))
                .satisfiesExactly(
                        again -> assertThat(again).startsWith(" 75.0 %").endsWith("(a 100 %, b preparing)"),
                        failed -> assertThat(failed).startsWith(" 50.0 %").endsWith("(a 50 %, b failed)"));
    }

    @Test
    void more_than_was_announced_is_all_of_it() {
        lines.show(List.of(session("a", 7, 1 << 20, 3 << 19)), TimeUnit.SECONDS.toNanos(1));

        assertThat(printed.toString(StandardCharsets.UTF_8))
                .startsWith("100.0 %")
                .contains("0 s left  (a 100 %)");
    }

    @Test
    void there_is_at_most_one_line_a_second() {
        for (int i = 0; i < 20; i++) {
            lines.show(List.of(session("a", 7, 1000, i)), TimeUnit.MILLISECONDS.toNanos(100L * i));
        }

        assertThat(printed.toString(StandardCharsets.UTF_8).lines()).hasSize(2);
    }
}
