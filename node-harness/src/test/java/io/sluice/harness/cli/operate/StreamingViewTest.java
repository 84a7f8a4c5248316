package io.sluice.harness.cli.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.admin.FetchState;
import io.sluice.harness.admin.NetStats;
import io.sluice.harness.admin.NodeInfo;
import io.sluice.sstable.token.Token;
import io.sluice.streaming.plan.Operation;
import io.sluice.streaming.progress.SessionProgress;
import io.sluice.streaming.ring.Address;
import io.sluice.streaming.ring.Node;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What is shown of streaming under way. */
class StreamingViewTest {
    private static final long NANOS_PER_SECOND = 1_000_000_000;

    private static NetStats received(long bytes) {
        return received(bytes, 0);
    }

    /** Of 1000 bytes these are there; those that were not resumed arrived since streaming began, 10 s ago. */
    private static NetStats received(long bytes, long resumed) {
        SessionProgress session = new SessionProgress(
                node(1),
                SessionProgress.State.STREAMING,
                0,
                Instant.EPOCH,
                Optional.empty(),
                1,
                8,
                0,
                1000,
                bytes,
                resumed,
                List.of(),
                Optional.empty(),
                Optional.empty());
        FetchState fetch = new FetchState(
                new UUID(7, 7),
                Operation.REBUILD,
                Operation.Priority.REBUILD,
                FetchState.Phase.STREAMING,
                List.of(session),
                10 * NANOS_PER_SECOND,
                0,
                Optional.empty(),
                Optional.empty());
        NodeInfo status = new NodeInfo(node(2), "nio", NodeInfo.Mode.JOINING, List.of(), List.of());
        return new NetStats(status, List.of(fetch), List.of(), 0, 0, List.of());
    }

    private static Node node(int number) {
        return new Node(
                new UUID(0, number), "node" + number, new Address("127.0.0.1", number), List.of(new Token(number)));
    }

    private static StreamingView.Plan plan(List<NetStats> earlier, NetStats now, double seconds) {
        return StreamingView.of(earlier, List.of(now), seconds)
                .nodes()
                .get(0)
                .fetches()
                .get(0);
    }

    @Test
    void a_rate_is_that_between_two_samples() {
        StreamingView.Plan plan = plan(List.of(received(400)), received(600), 2);

        assertThat(plan.bytesPerSecond()).isEqualTo(100);
        assertThat(plan.secondsLeft()).hasValue(4);
    }

    @Test
    void what_stands_still_has_no_rate_and_no_time_left() {
        StreamingView.Plan plan = plan(List.of(received(400)), received(400), 2);

        assertThat(plan.bytesPerSecond()).isZero();
        assertThat(plan.secondsLeft()).isEmpty();
        assertThat(plan.sessions().get(0).secondsLeft()).isEmpty();
    }

    @Test
    void the_rate_of_a_single_sample_is_that_since_streaming_began() {
        NetStats only = received(400);

        StreamingView.Plan plan = plan(List.of(only), only, 0);

        assertThat(plan.bytesPerSecond()).isEqualTo(40);
        assertThat(plan.secondsLeft()).hasValue(15);
    }

    /** Another attempt counts from the beginning. */
    @Test
    void a_session_that_began_again_has_no_rate_below_zero() {
        assertThat(plan(List.of(received(400)), received(100), 2).bytesPerSecond())
                .isZero();
    }

    @Test
    void what_an_earlier_attempt_has_left_counts_for_no_rate() {
        NetStats only = received(400, 300);

        assertThat(plan(List.of(), only, 2).bytesPerSecond()).isEqualTo(50);
        assertThat(plan(List.of(only), only, 0).bytesPerSecond()).isEqualTo(10);
    }

    @Test
    void what_turns_out_to_be_here_already_is_no_rate() {
        assertThat(plan(List.of(received(100)), received(500, 300), 2).bytesPerSecond())
                .isEqualTo(50);
    }

    @Test
    void a_share_is_never_more_than_all() {
        assertThat(StreamingView.share(1 << 20, 4 << 20)).isEqualTo("1.00 MiB of 4.00 MiB (25 %)");
        assertThat(StreamingView.share(5 << 20, 4 << 20)).isEqualTo("5.00 MiB of 4.00 MiB (100 %)");
        assertThat(StreamingView.share(0, 0)).isEqualTo("not known yet");
    }
}
