package io.sluice.harness.report;

import io.sluice.streaming.progress.SessionProgress;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** A line each second, for logs and pipes. Not thread-safe. */
final class ProgressLines implements ProgressView {
    private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

    private final PrintStream out;
    private long nextNanos;

    ProgressLines(PrintStream out) {
        this.out = out;
    }

    @Override
    public void show(List<SessionProgress> sessions, long nanos) {
        long total = sessions.stream().mapToLong(SessionProgress::bytesTotal).sum();
        if (nanos < nextNanos || total == 0) {
            return;
        }
        nextNanos = nanos + TimeUnit.SECONDS.toNanos(1);
        long received =
                sessions.stream().mapToLong(SessionProgress::bytesReceived).sum();
        double rate = ByteFormat.megabytesPerSecond(received, nanos / NANOS_PER_SECOND);
        out.printf(
                Locale.ROOT,
                "%5.1f %%  %s of %s  %.0f MB/s  %s  (%s)%n",
                percent(received, total),
                ByteFormat.text(received),
                ByteFormat.text(total),
                rate,
                timeLeft(total - received, rate),
                sessions.stream().map(ProgressLines::share).collect(Collectors.joining(", ")));
    }

    private static String share(SessionProgress session) {
        return session.filesTotal() == 0
                ? session.peer() + " preparing"
                : String.format(
                        Locale.ROOT,
                        "%s %.0f %%",
                        session.peer(),
                        percent(session.bytesReceived(), session.bytesTotal()));
    }

    private static double percent(long part, long whole) {
        return 100.0 * part / whole;
    }

    private static String timeLeft(long bytes, double megabytesPerSecond) {
        return megabytesPerSecond == 0
                ? "time left unknown"
                : String.format(Locale.ROOT, "%.0f s left", bytes / 1e6 / megabytesPerSecond);
    }

    @Override
    public void close() {}
}
