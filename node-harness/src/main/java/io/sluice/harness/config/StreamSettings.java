package io.sluice.harness.config;

import io.sluice.netty.security.TlsFiles;
import io.sluice.streaming.throttle.Limit;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * The keys of sluice.yaml that say how to stream, as typed values. Rates are in bytes per second, 0 for no limit.
 * Immutable.
 *
 * @param streamingKeepAlivePeriod in seconds
 * @param streamingMemory in bytes, at least 16 MiB
 * @param streamingSessionsPerPeer in each direction, 1 to 1,024
 * @param streamMaxOpenFiles 0 for what the library takes by itself
 * @param remoteNodes who is in another data centre
 * @param peers host names or addresses of nodes that may connect
 * @param tlsFingerprints ids of nodes by the fingerprint of their certificate
 * @param tlsRevoked revocation lists; without, nothing is revoked
 * @param violationsBeforeHold of the protocol, within ten minutes; 0 for never
 * @param tlsCertificate with it come {@code tlsKey} and {@code tlsTrust}; without, connections are in plain text
 */
public record StreamSettings(
        String clusterName,
        boolean streamEntireSstables,
        boolean streamSlices,
        boolean streamDropPageCache,
        int streamingConnectionsPerHost,
        int streamingKeepAlivePeriod,
        long streamingMemory,
        int streamingSessionsPerPeer,
        int streamMaxOpenFiles,
        long streamThroughputOutbound,
        long interDcStreamThroughputOutbound,
        long entireSstableStreamThroughputOutbound,
        long entireSstableInterDcStreamThroughputOutbound,
        long sessionStreamThroughputOutbound,
        long streamThroughputInbound,
        long interDcStreamThroughputInbound,
        long sessionStreamThroughputInbound,
        List<UUID> remoteNodes,
        List<String> peers,
        Optional<Path> tlsCertificate,
        Optional<Path> tlsKey,
        Optional<Path> tlsTrust,
        Optional<Path> tlsRevoked,
        boolean tlsVerifyEndpoint,
        Map<String, UUID> tlsFingerprints,
        boolean allowPlaintext,
        int violationsBeforeHold) {
    public StreamSettings {
        remoteNodes = List.copyOf(remoteNodes);
        peers = List.copyOf(peers);
        tlsFingerprints = Map.copyOf(tlsFingerprints);
        if (tlsCertificate.isPresent() != tlsKey.isPresent() || tlsKey.isPresent() != tlsTrust.isPresent()) {
            throw new ConfigException(
                    "tls_certificate, tls_key, tls_trust: only some are set (expected: all three, or none)");
        }
        if (tlsRevoked.isPresent() && tlsCertificate.isEmpty()) {
            throw new ConfigException("tls_revoked: set without tls_certificate, tls_key and tls_trust"
                    + " (expected: none, as in plain text nobody shows a certificate)");
        }
    }

    /** All limits. */
    public Map<Limit, Long> throughput() {
        Map<Limit, Long> rates = new EnumMap<>(Limit.class);
        rates.put(Limit.STREAM_THROUGHPUT_OUTBOUND, streamThroughputOutbound);
        rates.put(Limit.INTER_DC_STREAM_THROUGHPUT_OUTBOUND, interDcStreamThroughputOutbound);
        rates.put(Limit.ENTIRE_SSTABLE_STREAM_THROUGHPUT_OUTBOUND, entireSstableStreamThroughputOutbound);
        rates.put(
                Limit.ENTIRE_SSTABLE_INTER_DC_STREAM_THROUGHPUT_OUTBOUND, entireSstableInterDcStreamThroughputOutbound);
        rates.put(Limit.SESSION_STREAM_THROUGHPUT_OUTBOUND, sessionStreamThroughputOutbound);
        rates.put(Limit.STREAM_THROUGHPUT_INBOUND, streamThroughputInbound);
        rates.put(Limit.INTER_DC_STREAM_THROUGHPUT_INBOUND, interDcStreamThroughputInbound);
        rates.put(Limit.SESSION_STREAM_THROUGHPUT_INBOUND, sessionStreamThroughputInbound);
        return rates;
    }

    /** Identity and trust, if connections are encrypted. */
    public Optional<TlsFiles> tls() {
        return tlsCertificate.map(certificate ->
                new TlsFiles(certificate, tlsKey.orElseThrow(), tlsTrust.orElseThrow(), tlsVerifyEndpoint, tlsRevoked));
    }
}
