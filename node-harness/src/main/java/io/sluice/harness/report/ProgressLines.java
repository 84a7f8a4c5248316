package io.sluice.harness.report;

import io.sluice.streaming.progress.SessionProgress;
import java.io.PrintStream;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** A line each second, for logs and pipes. Not thread-safe. */
final class ProgressLines implements ProgressView {
    private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

    private final PrintStream out;
    /** Of each peer what was last known of a session of it; not of one that has failed. */
    private final Map<UUID, SessionProgress> known = new HashMap<>();

    private long nextNanos;

    ProgressLines(PrintStream out) {
        this.out = out;
    }

    @Override
    public void show(List<SessionProgress> sessions, long nanos) {
        sessions.forEach(this::learn);
        long total =
                known.values().stream().mapToLong(SessionProgress::bytesTotal).sum();
        if (nanos < nextNanos || total == 0) {
            return;
        }
        nextNanos = nanos + TimeUnit.SECONDS.toNanos(1);
        long received = known.values().stream()
                .mapToLong(SessionProgress::bytesReceived)
                .sum();
        long resumed =
                known.values().stream().mapToLong(SessionProgress::bytesResumed).sum();
        double rate = nanos <= 0 ? 0 : Math.max(0, received - resumed) * NANOS_PER_SECOND / nanos;
        out.printf(
                Locale.ROOT,
                "%5.1f %%  %s of %s  %s  %s  (%s)%n",
                percent(received, total),
                ByteFormat.text(received),
                ByteFormat.text(total),
                ByteFormat.rate(rate),
                timeLeft(total - received, rate),
                sessions.stream().map(ProgressLines::share).collect(Collectors.joining(", ")));
    }

    /** One that begins again knows nothing of its bytes until its source has prepared; they are still to come. */
    private void learn(SessionProgress session) {
        UUID peer = session.peer().id();
        if (session.state() == SessionProgress.State.FAILED) {
            known.remove(peer);
        } else if (session.filesTotal() > 0) {
            known.put(peer, session);
        }
    }

    private static String share(SessionProgress session) {
        if (session.state() == SessionProgress.State.FAILED) {
            return session.peer() + " failed";
        }
        return session.filesTotal() == 0
                ? session.peer() + " preparing"
                : String.format(
                        Locale.ROOT,
                        "%s %.0f %%",
                        session.peer(),
                        percent(session.bytesReceived(), session.bytesTotal()));
    }

    /** At most 100: what is to come is an estimate. */
    private static double percent(long part, long whole) {
        return Math.min(100, 100.0 * part / whole);
    }

    private static String timeLeft(long bytes, double bytesPerSecond) {
        return bytesPerSecond == 0
                ? "time left unknown"
                : String.format(Locale.ROOT, "%.0f s left", Math.max(0, bytes) / bytesPerSecond);
    }

    @Override
    public void close() {}
}
