package io.sluice.harness.cassandra;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.UnrecoverableKeyException;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * TLS of the JMX of one node. Immutable.
 *
 * @param trust whose certificates are trusted. RMI does not compare the name in a certificate with the address: hold
 *     the certificate of the node here, or of an authority that issues for such nodes alone
 * @param key of this process, for a node that asks for a certificate
 */
public record JmxTls(Store trust, Optional<Store> key) {
    /** A file with keys or certificates, JKS or PKCS#12, and the password of the file and of its key. Immutable. */
    public record Store(Path file, String password) {
        private KeyStore open() throws IOException, GeneralSecurityException {
            try {
                return KeyStore.getInstance(file.toFile(), password.toCharArray());
            } catch (IOException | IllegalArgumentException e) { // the second one if there is no such file
                throw new IOException(
                        file + ": cannot be opened: " + e.getMessage() + " (expected: a store, JKS or PKCS#12, and its"
                                + " password)",
                        e);
            }
        }

        /** Omits the password. */
        @Override
        public String toString() {
            return file.toString();
        }
    }

    /**
     * Makes this the TLS of all connections of this process that choose none of their own: RMI takes whatever the
     * process has, and offers no other way. For a process that talks to one node. Before the first connection.
     *
     * @throws IOException if a store cannot be read
     */
    public void useInThisProcess() throws IOException {
        SSLContext.setDefault(context());
    }

    private SSLContext context() throws IOException {
        try {
            TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trusted.init(trust.open());
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys(), trusted.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException("TLS for JMX with " + this + ": " + e.getMessage(), e);
        }
    }

    private KeyManager[] keys() throws IOException, GeneralSecurityException {
        if (key.isEmpty()) {
            return new KeyManager[0];
        }
        KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        try {
            own.init(key.get().open(), key.get().password().toCharArray());
        } catch (UnrecoverableKeyException e) {
            throw new IOException(
                    key.get() + ": its key cannot be opened: " + e.getMessage()
                            + " (expected: a key with the password of the store)",
                    e);
        }
        return own.getKeyManagers();
    }
}
