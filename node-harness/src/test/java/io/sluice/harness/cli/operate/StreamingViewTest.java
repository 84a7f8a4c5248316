package io.sluice.harness.cli.operate;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What is shown of streaming under way. */
class StreamingViewTest {
    @Test
    void a_share_is_never_more_than_all() {
        assertThat(StreamingView.share(1 << 20, 4 << 20)).isEqualTo("1.00 MiB of 4.00 MiB (25 %)");
        assertThat(StreamingView.share(5 << 20, 4 << 20)).isEqualTo("5.00 MiB of 4.00 MiB (100 %)");
        assertThat(StreamingView.share(0, 0)).isEqualTo("not known yet");
    }
}
