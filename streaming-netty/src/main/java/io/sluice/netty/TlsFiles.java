package io.sluice.netty;

import java.nio.file.Path;
import java.util.Optional;

/**
 * The PEM files with a node's identity and trust. Immutable.
 *
 * @param certificate the node's certificate, followed by intermediate certificates, if any
 * @param key its private key, PKCS#8, not encrypted: the file's permissions protect it
 * @param trust the authorities that may sign certificates of peers
 * @param verifiesEndpoint whether the certificate of a node that this node connects to must name its address
 * @param revoked certificate revocation lists (CRLs), one for each authority in {@code trust}; without this file no
 *     certificate is revoked
 */
public record TlsFiles(Path certificate, Path key, Path trust, boolean verifiesEndpoint, Optional<Path> revoked) {
    /** Without revocation lists. */
    public TlsFiles(Path certificate, Path key, Path trust, boolean verifiesEndpoint) {
        this(certificate, key, trust, verifiesEndpoint, Optional.empty());
    }

    /** A copy with revocation lists. */
    public TlsFiles revoking(Path lists) {
        return new TlsFiles(certificate, key, trust, verifiesEndpoint, Optional.of(lists));
    }
}
