package io.sluice.cassandra.load;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What a load reports of a delivery that failed. */
class BulkLoadTest {
    @Test
    void of_a_delivery_that_was_not_sent_entirely_nothing_is_visible() {
        assertThat(BulkLoad.visible(99, 100)).contains("nothing of it is visible there; load again");
    }

    @Test
    void of_one_that_was_sent_entirely_it_is_not_known() {
        assertThat(BulkLoad.visible(100, 100)).contains("it is not known what of it is visible there; load again");
    }
}
