package io.sluice.streaming.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is counted of work, of those who wait, and of tables. */
class ActivityTest {
    @Test
    void counts_ends_by_outcome_and_code_and_each_once() {
        Activity plans = new Activity();
        List<String> ends = new ArrayList<>();
        plans.onEnd((outcome, nanos) -> ends.add(outcome + " " + nanos));
        Activity.Run first = plans.begin(10);
        Activity.Run second = plans.begin(20);
        Activity.Run third = plans.begin(30);
        assertThat(plans.running().count()).isEqualTo(3);
        assertThat(plans.running().oldestNanos(100)).isEqualTo(90);

        first.end(Optional.empty(), 40);
        first.end(Optional.of(ErrorCode.DISK), 50);
        second.end(Optional.of(ErrorCode.DISK), 60);

        assertThat(plans.running().oldestNanos(100)).isEqualTo(70);
        third.end(Optional.of(ErrorCode.CANCELLED), 100);
        assertThat(plans.running().count()).isZero();
        assertThat(plans.running().oldestNanos(100)).isZero();
        assertThat(ends).containsExactly("COMPLETE 30", "FAILED 40", "CANCELLED 70");
        assertThat(plans.failures(ErrorCode.DISK)).isEqualTo(1);
        assertThat(plans.failures(ErrorCode.CANCELLED)).isEqualTo(1);
    }

    @Test
    void tables_beyond_the_most_share_one_count() {
        TableBytes sent = new TableBytes();
        for (int i = 0; i < TableBytes.MOST_TABLES + 5; i++) {
            sent.of("whole", "ks.t" + i).add(1);
        }
        sent.of("rows", "ks.t0").add(10);
        sent.of("rows", "ks.beyond").add(100);

        List<String> seen = new ArrayList<>();
        sent.onCount(count -> seen.add(count.mode() + " " + count.table() + " " + count.sum()));

        assertThat(seen)
                .hasSize(TableBytes.MOST_TABLES + 3)
                .contains("whole ks.t0 1", "rows ks.t0 10", "whole other 5", "rows other 100")
                .doesNotContain("whole ks.t100 1");
    }

    @Test
    void whoever_listens_hears_of_each_new_count_once() {
        TableBytes sent = new TableBytes();
        List<String> seen = new ArrayList<>();
        sent.onCount(count -> seen.add(count.table()));

        sent.of("whole", "ks.a").add(1);
        sent.of("whole", "ks.a").add(1);
        sent.of("whole", "ks.b").add(1);

        assertThat(seen).containsExactly("ks.a", "ks.b");
    }
}
