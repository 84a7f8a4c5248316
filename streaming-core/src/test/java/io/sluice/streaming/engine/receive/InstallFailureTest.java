package io.sluice.streaming.engine.receive;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.install.Outlook;
import io.sluice.streaming.progress.PlanResult.LiveWrites;
import io.sluice.streaming.session.Failure;
import io.sluice.streaming.session.PlanCoordinator.Event;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What metrics count as a failed install. */
class InstallFailureTest {
    private static final UUID TABLE = new UUID(1, 1);
    private static final Failure WHY = new Failure(ErrorCode.VOLUME_FAILED, "one of two");

    @Test
    void one_whose_volume_failed_is_a_failure_although_it_begins_again() {
        assertThat(PlanTables.failure(new Event.StagedLost(TABLE, WHY))).contains(WHY);
        assertThat(PlanTables.failure(new Event.InstallFailed(TABLE, WHY, Outlook.NOT_COMMITTED)))
                .contains(WHY);
    }

    @Test
    void one_that_is_live_is_none() {
        LiveWrites writes = LiveWrites.between(Optional.empty(), Optional.empty());

        assertThat(PlanTables.failure(new Event.Installed(TABLE, 1, 1, writes))).isEmpty();
    }
}
