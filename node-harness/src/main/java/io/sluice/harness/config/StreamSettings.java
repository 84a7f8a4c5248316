package io.sluice.harness.config;

import io.sluice.netty.TlsFiles;
import io.sluice.streaming.Limit;
import java.nio.file.Path;
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
 * @param throughput all limits
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
        Map<Limit, Long> throughput,
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
        throughput = Map.copyOf(throughput);
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

    /** Identity and trust, if connections are encrypted. */
    public Optional<TlsFiles> tls() {
        return tlsCertificate.map(certificate ->
                new TlsFiles(certificate, tlsKey.orElseThrow(), tlsTrust.orElseThrow(), tlsVerifyEndpoint, tlsRevoked));
    }
}
