package io.sluice.cassandra.net;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Collections;
import java.util.Optional;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * Keys and trust for TLS with Cassandra nodes, from the same kinds of stores that nodes use. Immutable.
 *
 * @param trust the certificates that we trust
 * @param key our identity, for nodes that ask for it; without it, a node with {@code require_client_auth} refuses us
 * @param verifiesHost whether a node's certificate must name the host that we connect to: its address, for CQL its name
 *     if it was given by name
 */
public record CassandraTls(TrustManagerFactory trust, Optional<KeyManagerFactory> key, boolean verifiesHost) {

    /** A JKS or PKCS#12 file and its password. */
    public record Store(Path file, String password) {
        @Override
        public String toString() {
            return file.toString(); // never the password
        }

        private KeyStore load() throws IOException, GeneralSecurityException {
            try {
                return KeyStore.getInstance(file.toFile(), password.toCharArray());
            } catch (IOException | IllegalArgumentException e) { // the second one if there is no such file
                throw new IOException(
                        file + ": cannot be opened: " + e.getMessage() + " (expected: a store, JKS or PKCS#12, and its"
                                + " password)",
                        e);
            }
        }
    }

    /**
     * Reads the stores.
     *
     * @throws IOException if one cannot be read, or its password is wrong
     */
    public static CassandraTls of(Store trust, Optional<Store> key, boolean verifiesHost) throws IOException {
        CassandraTls withoutKey = trusting(trust, verifiesHost);
        return key.isEmpty() ? withoutKey : withoutKey.withKey(key.get());
    }

    private static CassandraTls trusting(Store trust, boolean verifiesHost) throws IOException {
        try {
            TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trusted.init(trust.load());
            return new CassandraTls(trusted, Optional.empty(), verifiesHost);
        } catch (GeneralSecurityException e) {
            throw new IOException(trust + ": " + e.getMessage(), e);
        }
    }

    /**
     * The same trust with our identity of a store.
     *
     * @throws IOException if it cannot be read, its password is wrong, it has no key, or the certificate of one is not
     *     valid now
     */
    public CassandraTls withKey(Store store) throws IOException {
        try {
            KeyStore opened = store.load();
            requireIdentity(store, opened);
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(opened, store.password().toCharArray());
            return new CassandraTls(trust, Optional.of(keys), verifiesHost);
        } catch (GeneralSecurityException e) {
            throw new IOException(store + ": " + e.getMessage(), e);
        }
    }

    /** The other end would close the connection, and each implementation of TLS calls that something else. */
    private static void requireIdentity(Store store, KeyStore opened) throws IOException, GeneralSecurityException {
        boolean hasKey = false;
        for (String alias : Collections.list(opened.aliases())) {
            if (opened.entryInstanceOf(alias, KeyStore.PrivateKeyEntry.class)) {
                hasKey = true;
                requireValidNow(
                        store + ": the certificate of " + alias, (X509Certificate) opened.getCertificate(alias));
            }
        }
        if (!hasKey) {
            throw new IOException(store + ": has no private key (expected: our key and its certificate; a store of"
                    + " certificates alone is a truststore)");
        }
    }

    private static void requireValidNow(String what, X509Certificate certificate) throws IOException {
        Instant now = Instant.now();
        Instant first = certificate.getNotBefore().toInstant();
        Instant last = certificate.getNotAfter().toInstant();
        if (now.isBefore(first) || now.isAfter(last)) {
            throw new IOException(
                    what + (now.isAfter(last) ? " has expired" : " is not valid yet") + ": it is valid from " + first
                            + " to " + last + ", and now is " + now + " (renew it, or set the clock right)");
        }
    }

    /** The TLS context for clients that use the JDK's TLS. */
    public SSLContext context() throws IOException {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(key.map(KeyManagerFactory::getKeyManagers).orElse(null), trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException("TLS: " + e.getMessage(), e);
        }
    }
}
