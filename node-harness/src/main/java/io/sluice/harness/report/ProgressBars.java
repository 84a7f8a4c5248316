package io.sluice.harness.report;

import io.sluice.streaming.progress.SessionProgress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;

/** A bar for each source, with its rate and the time left. Not thread-safe. */
final class ProgressBars implements ProgressView {
    private static final long MEBIBYTE = 1 << 20;

    private final Map<UUID, ProgressBar> bars = new LinkedHashMap<>();

    @Override
    public void show(List<SessionProgress> sessions, long nanos) {
        for (SessionProgress session : sessions) {
            if (session.filesTotal() == 0) {
                continue; // still preparing: there is nothing to compare with
            }
            bars.computeIfAbsent(session.peer().id(), id -> bar(session))
                    .maxHint(session.bytesTotal())
                    .stepTo(session.bytesReceived())
                    .setExtraMessage("  " + session.filesReceived() + "/" + session.filesTotal() + " files");
        }
    }

    private static ProgressBar bar(SessionProgress session) {
        return new ProgressBarBuilder()
                .setTaskName(session.peer().name())
                .setInitialMax(session.bytesTotal())
                .setUnit(" MiB", MEBIBYTE)
                .startsFrom(session.bytesResumed(), Duration.ZERO) // no part of its speed
                .showSpeed()
                .setUpdateIntervalMillis(200)
                .build();
    }

    @Override
    public void close() {
        bars.values().forEach(ProgressBar::close);
    }
}
