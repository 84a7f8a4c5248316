package io.sluice.harness.config;

/**
 * The keys of sluice.yaml that say how to stream, as typed values. Rates are in bytes per second, 0 for no limit.
 * Immutable.
 *
 * @param streamingKeepAlivePeriod in seconds
 */
public record StreamSettings(
        String clusterName,
        boolean streamEntireSstables,
        boolean streamSlices,
        int streamingConnectionsPerHost,
        int streamingKeepAlivePeriod,
        long streamThroughputOutbound,
        long interDcStreamThroughputOutbound,
        long entireSstableStreamThroughputOutbound,
        long entireSstableInterDcStreamThroughputOutbound) {}
