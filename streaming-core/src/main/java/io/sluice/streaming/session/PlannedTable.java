package io.sluice.streaming.session;

import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.plan.StreamPlan;
import io.sluice.streaming.plan.StreamRequest;
import io.sluice.streaming.progress.PlanResult;
import io.sluice.streaming.store.TableRef;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** Where a table of a plan stands: its parts, and what became of it. Not thread-safe: of its coordinator. */
final class PlannedTable {
    /** What has been decided about it. */
    enum Stage {
        FETCHING,
        INSTALLING,
        INSTALLED,
        FAILED
    }

    /** Ranges of it from one source. */
    static final class SourceRanges {
        final StreamRequest request;
        boolean isReceived;

        SourceRanges(StreamRequest request) {
            this.request = request;
        }
    }

    final TableRef ref;
    final List<SourceRanges> parts = new ArrayList<>();
    final Set<UUID> failedSources = new HashSet<>();
    Stage stage = Stage.FETCHING;
    int sstables;
    long bytes;
    PlanResult.LiveWrites writes = PlanResult.LiveWrites.NOT_SAID;
    int failedInstalls;
    /** Its install has not answered in time, and may yet: nobody touches what has landed. */
    boolean isInstallHanging;

    /** Why its last install failed, while a pause lasts before the next one. */
    Optional<PlanResult.Failure> pausedInstall = Optional.empty();

    Optional<PlanResult.Failure> failure = Optional.empty();
    /** Whether a session was opened for it. */
    boolean hasBegun;

    Instant started;
    Instant ended;

    /** @param now when its plan begins */
    PlannedTable(TableRef ref, Instant now) {
        this.ref = ref;
        this.started = now;
        this.ended = now;
    }

    PlanResult.TableResult result() {
        return new PlanResult.TableResult(ref, sstables, bytes, started, ended, failure);
    }

    /** What became of each range; of those that were never asked for, by the sources that the plan names. */
    List<PlanResult.RangeResult> ranges(StreamPlan plan) {
        List<StreamRequest> requests = parts.isEmpty()
                ? plan.requests().stream()
                        .filter(request -> request.table().equals(ref))
                        .toList()
                : parts.stream().map(part -> part.request).toList();
        return requests.stream()
                .map(request -> new PlanResult.RangeResult(
                        ref, request.ranges().ranges(), request.source(), outcome(), failure, writes))
                .toList();
    }

    private PlanResult.Outcome outcome() {
        if (stage == Stage.INSTALLED) {
            return PlanResult.Outcome.INSTALLED;
        }
        return failure.map(PlanResult.Failure::code)
                        .filter(PlannedTable::isRefusal)
                        .isPresent()
                ? PlanResult.Outcome.REFUSED
                : PlanResult.Outcome.FAILED;
    }

    private static boolean isRefusal(ErrorCode code) {
        return switch (code) {
            case UNKNOWN_TABLE, NOT_WHOLE, DISK_FULL, SOURCE_DISK_FULL, WRONG_PEER, NO_SOURCE, SCHEMA, FENCED, LIMIT ->
                true;
            default -> false;
        };
    }
}
