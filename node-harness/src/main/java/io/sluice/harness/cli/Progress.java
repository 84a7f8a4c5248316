package io.sluice.harness.cli;

import io.sluice.cassandra.load.LoadProgress;
import io.sluice.harness.report.ByteFormat;
import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** How far something that arrives is, human-readable. Stateless. */
final class Progress {
    private Progress() {}

    /** Prints a line each second, on a thread of its own, until that is interrupted. */
    static Thread everySecond(Supplier<String> line, PrintStream out) {
        Thread ticker = new Thread(
                () -> {
                    try {
                        while (true) {
                            TimeUnit.SECONDS.sleep(1);
                            out.println(line.get());
                        }
                    } catch (InterruptedException over) {
                        Thread.currentThread().interrupt();
                    }
                },
                "progress");
        ticker.setDaemon(true);
        ticker.start();
        return ticker;
    }

    /** Of a session that has said nothing yet, of one that sends, and of one that has sent all. */
    static String of(long receivedBytes, long promisedBytes) {
        if (promisedBytes == 0) {
            return "waiting for the sender to say what comes";
        }
        return ByteFormat.text(receivedBytes) + " of " + ByteFormat.text(promisedBytes)
                + (receivedBytes < promisedBytes ? "" : ", being verified");
    }

    /** Of a load that began some seconds ago: its share, rate and time left, and that it cuts slices while it does. */
    static String of(LoadProgress load, double seconds) {
        String cutting = "cutting slices: " + load.slicesCut() + " of " + load.slices();
        boolean isCutting = load.slicesCut() < load.slices();
        if (isCutting && load.sentBytes() == 0) {
            return cutting;
        }
        double bytesPerSecond = seconds > 0 ? load.sentBytes() / seconds : 0;
        String left = bytesPerSecond == 0
                ? ""
                : String.format(Locale.ROOT, ", %.0f s left", (load.totalBytes() - load.sentBytes()) / bytesPerSecond);
        return String.format(
                        Locale.ROOT,
                        "%5.1f %%  %s of %s  %s/s",
                        100.0 * load.sentBytes() / Math.max(1, load.totalBytes()),
                        ByteFormat.text(load.sentBytes()),
                        ByteFormat.text(load.totalBytes()),
                        ByteFormat.text(Math.round(bytesPerSecond)))
                + left
                + (isCutting ? ", " + cutting : "");
    }
}
