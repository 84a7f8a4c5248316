package io.sluice.bench.transfer;

import io.sluice.bench.process.ChildProcess;
import java.io.IOException;

/**
 * One transfer of all files. Immutable.
 *
 * @param seconds from the first question to the last byte that is where it shall be
 * @param senderCpuSeconds of the sending process, user and system
 * @param receiverCpuSeconds of the receiving process
 * @param senderAllocatedBytes on the sender's heap; 0 for the yardstick
 * @param receiverAllocatedBytes on the receiver's heap; 0 for the yardstick
 * @param regions handed to the sender's sockets; 0 for the yardstick, as the next ones
 * @param socketReads system calls of the receiver that took bytes from sockets
 * @param fileWrites system calls of the receiver that wrote files
 * @param syncs that the receiver asked of the disk
 */
record Sample(
        long bytes,
        double seconds,
        double senderCpuSeconds,
        double receiverCpuSeconds,
        long senderAllocatedBytes,
        long receiverAllocatedBytes,
        long regions,
        long socketReads,
        long fileWrites,
        long syncs) {
    private static final double GIBIBYTE = 1L << 30;

    /** Asks both processes to move {@code what}: a command of {@link TransferPeer}. */
    static Sample of(String what, ChildProcess sender, ChildProcess receiver) throws IOException, InterruptedException {
        TransferPeer.Sent before = sender.ask("usage", TransferPeer.Sent.class);
        TransferPeer.Moved moved = receiver.ask(what, TransferPeer.Moved.class);
        TransferPeer.Sent after = sender.ask("usage", TransferPeer.Sent.class);
        return new Sample(
                moved.bytes(),
                moved.seconds(),
                after.cpuSeconds() - before.cpuSeconds(),
                moved.cpuSeconds(),
                after.allocatedBytes() - before.allocatedBytes(),
                moved.allocatedBytes(),
                after.regions() - before.regions(),
                moved.socketReads(),
                moved.fileWrites(),
                moved.syncs());
    }

    double gibPerSecond() {
        return gibibytes() / seconds;
    }

    double gibibytes() {
        return bytes / GIBIBYTE;
    }

    double perGibibyte(double amount) {
        return amount / gibibytes();
    }
}
