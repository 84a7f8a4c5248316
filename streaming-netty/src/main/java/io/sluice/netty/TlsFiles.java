package io.sluice.netty;

import java.nio.file.Path;
import java.util.Optional;

/**
 * Where a node's identity and trust lie, all in PEM. Immutable.
 *
 * @param certificate the node's certificate, followed by those between it and the authority, if any
 * @param key its private key, PKCS#8, not encrypted: the file's permissions protect it
 * @param trust the authorities that may vouch for a peer
 * @param verifiesEndpoint whether a node that is connected to must have a certificate for the address it was found at
 * @param revoked lists of certificates that authorities have revoked (CRLs), one for each authority that vouches for a
 *     peer; without such a file nothing is revoked
 */
public record TlsFiles(Path certificate, Path key, Path trust, boolean verifiesEndpoint, Optional<Path> revoked) {
    /** Without revocation lists. */
    public TlsFiles(Path certificate, Path key, Path trust, boolean verifiesEndpoint) {
        this(certificate, key, trust, verifiesEndpoint, Optional.empty());
    }

    /** The same with revocation lists. */
    public TlsFiles revoking(Path lists) {
        return new TlsFiles(certificate, key, trust, verifiesEndpoint, Optional.of(lists));
    }
}
