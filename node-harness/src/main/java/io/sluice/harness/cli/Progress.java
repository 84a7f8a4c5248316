package io.sluice.harness.cli;

import io.sluice.harness.report.Bytes;

/** How far something that arrives has come, for people. Stateless. */
final class Progress {
    private Progress() {}

    /** Of a session that has said nothing yet, of one that sends, and of one that has sent all. */
    static String of(long receivedBytes, long promisedBytes) {
        if (promisedBytes == 0) {
            return "waiting for the sender to say what comes";
        }
        return Bytes.text(receivedBytes) + " of " + Bytes.text(promisedBytes)
                + (receivedBytes < promisedBytes ? "" : ", being verified");
    }
}
