package io.sluice.netty.security;

import java.nio.file.Path;

/**
 * Where a node's identity and trust lie, all in PEM. Immutable.
 *
 * @param certificate the node's certificate, followed by those between it and the authority, if any
 * @param key its private key, PKCS#8, not encrypted: the file's permissions protect it
 * @param trust the authorities that may vouch for a peer
 * @param verifiesEndpoint whether a node that is connected to must have a certificate for the address it was found at
 */
public record TlsFiles(Path certificate, Path key, Path trust, boolean verifiesEndpoint) {}
