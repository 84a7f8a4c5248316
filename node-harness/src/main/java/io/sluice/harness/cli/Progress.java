package io.sluice.harness.cli;

import io.sluice.cassandra.load.LoadProgress;
import io.sluice.harness.report.ByteFormat;
import io.sluice.harness.report.Step;

/** How far something that arrives is, human-readable. Stateless. */
final class Progress {
    private Progress() {}

    /** Of a session that has said nothing yet, of one that sends, and of one that has sent all. */
    static String of(long receivedBytes, long promisedBytes) {
        if (promisedBytes == 0) {
            return "waiting for the sender to say what comes";
        }
        return ByteFormat.text(receivedBytes) + " of " + ByteFormat.text(promisedBytes)
                + (receivedBytes < promisedBytes ? "" : ", being verified");
    }

    /** The same, of a session alone. */
    static Step step(long receivedBytes, long promisedBytes) {
        if (promisedBytes == 0) {
            return Step.ofBytes("waiting for the sender to say what comes", 0, 0);
        }
        return receivedBytes < promisedBytes
                ? Step.ofBytes("receiving", receivedBytes, promisedBytes)
                : Step.ofBytes("verifying what was received", 0, 0);
    }

    /** Of a load: slices are cut before a node gets any, perhaps while another one does. */
    static Step step(LoadProgress load) {
        boolean isCutting = load.slicesCut() < load.slices();
        if (isCutting && load.sentBytes() == 0) {
            return new Step("cutting slices", load.slicesCut(), load.slices(), "slices");
        }
        if (load.sentBytes() > 0 && load.sentBytes() >= load.totalBytes() && !isCutting) {
            return Step.ofBytes("waiting until the nodes have it live", 0, 0);
        }
        Step sending = Step.ofBytes("sending", load.sentBytes(), load.totalBytes());
        return isCutting ? sending.noting("cutting slices: " + load.slicesCut() + " of " + load.slices()) : sending;
    }
}
