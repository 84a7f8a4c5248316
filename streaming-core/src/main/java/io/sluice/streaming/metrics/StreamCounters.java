package io.sluice.streaming.metrics;

/**
 * What a node has done since it started. Each number only grows. Immutable.
 *
 * @param bytesSent of files, that the sockets have taken
 * @param bytesReceived of files, that lie in files here, not all of them checked yet
 * @param regionsSent pieces of files handed to sockets: each is one {@code sendfile}, or as many as the socket's buffer
 *     is filled anew
 * @param socketReads system calls that took bytes from data connections
 * @param fileWrites system calls that wrote staged files
 * @param syncs of files and directories
 * @param sstablesStaged received, checked and durable
 * @param installs sets of SSTables that went live together
 * @param sessionsFailed attempts that ended by a failure, of both directions
 * @param connectionsRefused before, or by, their handshake: not those that only gave way to newer ones
 */
public record StreamCounters(
        long bytesSent,
        long bytesReceived,
        long regionsSent,
        long socketReads,
        long fileWrites,
        long syncs,
        long sstablesStaged,
        long installs,
        long sessionsFailed,
        long connectionsRefused) {}
