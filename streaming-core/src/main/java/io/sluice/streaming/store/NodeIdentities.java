package io.sluice.streaming.store;

import io.sluice.streaming.store.Authorizer.Peer;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** For which nodes a certificate speaks. Answered from memory; thread-safe. */
@FunctionalInterface
public interface NodeIdentities {
    /** A subject alternative name of the kind URI that begins so names the id of a node. */
    String NODE_URN = "urn:sluice:node:";

    /** One that begins so names its cluster; a certificate without one counts in every cluster of its authority. */
    String CLUSTER_URN = "urn:sluice:cluster:";

    /** The ids of the nodes whose owner may show {@code certificate}; empty if it speaks for none. */
    Set<UUID> of(X509Certificate certificate);

    /** By the subject alternative names {@value #NODE_URN} with an id behind it. */
    static NodeIdentities byAlternativeName() {
        return certificate -> {
            Set<UUID> nodes = new HashSet<>();
            for (String id : uris(certificate, NODE_URN)) {
                try {
                    nodes.add(UUID.fromString(id));
                } catch (IllegalArgumentException notAnId) {
                    return Set.of(); // a certificate that is not what it should be speaks for nobody
                }
            }
            return nodes;
        };
    }

    /** By a map from SHA-256 fingerprints, in lower-case hexadecimal, to ids of nodes. */
    static NodeIdentities byFingerprint(Map<String, UUID> nodes) {
        Map<String, UUID> known = Map.copyOf(nodes);
        return certificate -> Optional.ofNullable(known.get(Peer.fingerprint(certificate)))
                .map(Set::of)
                .orElse(Set.of());
    }

    /** Those of this, and those of {@code other}. */
    default NodeIdentities or(NodeIdentities other) {
        return certificate -> {
            Set<UUID> nodes = new HashSet<>(of(certificate));
            nodes.addAll(other.of(certificate));
            return nodes;
        };
    }

    /**
     * The names of the clusters that {@code certificate} is for; empty if it does not say.
     *
     * @throws IllegalArgumentException if one is no name, percent-encoded
     */
    static List<String> clusters(X509Certificate certificate) {
        return uris(certificate, CLUSTER_URN).stream()
                .map(name -> URLDecoder.decode(name, StandardCharsets.UTF_8))
                .toList();
    }

    private static List<String> uris(X509Certificate certificate, String prefix) {
        int uri = 6;
        try {
            Collection<List<?>> names = certificate.getSubjectAlternativeNames();
            return names == null
                    ? List.of()
                    : names.stream()
                            .filter(name -> name.get(0).equals(uri))
                            .map(name -> String.valueOf(name.get(1)))
                            .filter(name -> name.startsWith(prefix))
                            .map(name -> name.substring(prefix.length()))
                            .toList();
        } catch (CertificateParsingException e) {
            return List.of(); // names that cannot be read name nobody
        }
    }
}
