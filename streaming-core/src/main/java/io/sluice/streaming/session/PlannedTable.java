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

/** The state of a table of a plan, its ranges and its result. Not thread-safe: confined to its coordinator. */
final class PlannedTable {
    /** The stage of a table. */
    enum Stage {
        FETCHING,
        INSTALLING,
        INSTALLED,
        FAILED
    }

    /** Ranges of the table from one source. */
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
    /** Whether its install timed out and may still answer: its files must not be touched. */
    boolean isInstallHanging;

    /** Whether its install failed while the node closes, which may be the reason: all of it is received. */
    boolean isCutShort;

    /** Why its last install failed, during the pause before the next one. */
    Optional<PlanResult.Failure> pausedInstall = Optional.empty();

    Optional<PlanResult.Failure> failure = Optional.empty();
    /** Whether a session was opened for it. */
    boolean hasBegun;

    Instant started;
    Instant ended;

    /** @param now when the plan begins */
    PlannedTable(TableRef ref, Instant now) {
        this.ref = ref;
        this.started = now;
        this.ended = now;
    }

    PlanResult.TableResult result() {
        return new PlanResult.TableResult(ref, sstables, bytes, started, ended, failure);
    }

    /** The result of each range; ranges that were never requested have the source that the plan names. */
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
