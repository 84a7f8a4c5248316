package io.sluice.netty.security;

import io.sluice.netty.TlsFiles;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.security.cert.CertStore;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.CollectionCertStoreParameters;
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509CRL;
import java.security.cert.X509CertSelector;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.CertPathTrustManagerParameters;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Decides which certificates of peers are trusted: by the platform's rules, with the authorities and revocation lists
 * of {@link TlsFiles}. Distinguishes self-signed certificates from those of unknown authorities. Thread-safe.
 */
final class Trust extends X509ExtendedTrustManager {
    /** The certificate is self-signed. */
    static final class SelfSignedException extends CertificateException {
        private static final long serialVersionUID = 1L;

        private SelfSignedException(X509Certificate certificate, CertificateException cause) {
            super(certificate.getSubjectX500Principal() + " has a self-signed certificate", cause);
        }
    }

    private final X509ExtendedTrustManager platform;
    private final List<X509CRL> lists;

    private Trust(X509ExtendedTrustManager platform, List<X509CRL> lists) {
        this.platform = platform;
        this.lists = lists;
    }

    /**
     * Reads the authorities, and their revocation lists, if configured: then each authority in a peer's chain needs a
     * current list, or the peer is refused.
     */
    static Trust of(TlsFiles files) throws IOException, GeneralSecurityException {
        CertificateFactory x509 = CertificateFactory.getInstance("X.509");
        Set<TrustAnchor> anchors = new HashSet<>();
        try (InputStream in = Files.newInputStream(files.trust())) {
            x509.generateCertificates(in)
                    .forEach(authority -> anchors.add(new TrustAnchor((X509Certificate) authority, null)));
        }
        PKIXBuilderParameters parameters = new PKIXBuilderParameters(anchors, new X509CertSelector());
        parameters.setRevocationEnabled(files.revoked().isPresent());
        List<X509CRL> lists = new ArrayList<>();
        if (files.revoked().isPresent()) {
            try (InputStream in = Files.newInputStream(files.revoked().get())) {
                x509.generateCRLs(in).forEach(list -> lists.add((X509CRL) list));
            }
            parameters.addCertStore(CertStore.getInstance("Collection", new CollectionCertStoreParameters(lists)));
        }
        TrustManagerFactory platform = TrustManagerFactory.getInstance("PKIX");
        platform.init(new CertPathTrustManagerParameters(parameters));
        return new Trust((X509ExtendedTrustManager) platform.getTrustManagers()[0], List.copyOf(lists));
    }

    /** The first certificate in a peer's chain, each signed by the next, that its authority has revoked. */
    Optional<X509Certificate> revoked(List<X509Certificate> chain) {
        return chain.stream()
                .filter(certificate -> lists.stream().anyMatch(list -> list.isRevoked(certificate)))
                .findFirst();
    }

    /** A check by the platform's trust manager. */
    private interface Check {
        void run() throws CertificateException;
    }

    private static void explained(X509Certificate[] chain, Check check) throws CertificateException {
        try {
            check.run();
        } catch (CertificateException e) {
            if (chain.length > 0 && isSelfSigned(chain[0])) {
                throw new SelfSignedException(chain[0], e);
            }
            throw e;
        }
    }

    private static boolean isSelfSigned(X509Certificate certificate) {
        if (!certificate.getSubjectX500Principal().equals(certificate.getIssuerX500Principal())) {
            return false;
        }
        try {
            certificate.verify(certificate.getPublicKey());
            return true;
        } catch (GeneralSecurityException another) {
            return false; // signed by another authority of the same name
        }
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String kind, SSLEngine engine) throws CertificateException {
        explained(chain, () -> platform.checkClientTrusted(chain, kind, engine));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String kind, SSLEngine engine) throws CertificateException {
        explained(chain, () -> platform.checkServerTrusted(chain, kind, engine));
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String kind, Socket socket) throws CertificateException {
        explained(chain, () -> platform.checkClientTrusted(chain, kind, socket));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String kind, Socket socket) throws CertificateException {
        explained(chain, () -> platform.checkServerTrusted(chain, kind, socket));
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String kind) throws CertificateException {
        explained(chain, () -> platform.checkClientTrusted(chain, kind));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String kind) throws CertificateException {
        explained(chain, () -> platform.checkServerTrusted(chain, kind));
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return platform.getAcceptedIssuers();
    }
}
