package io.sluice.bench.transfer;

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

    double gibPerSecond() {
        return bytes / GIBIBYTE / seconds;
    }

    double perGibibyte(double amount) {
        return amount / (bytes / GIBIBYTE);
    }
}
