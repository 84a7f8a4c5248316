package io.sluice.netty.security;

import io.netty.handler.ssl.NotSslRecordException;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/** Reads the peer's certificates from a TLS session, and explains failed handshakes. Stateless. */
public final class Certificates {
    private Certificates() {}

    /** The verified certificates of the peer, its own first; empty if it has shown none. */
    public static List<X509Certificate> of(SSLSession session) {
        List<X509Certificate> certificates = new ArrayList<>();
        try {
            for (Certificate certificate : session.getPeerCertificates()) {
                if (certificate instanceof X509Certificate x509) {
                    certificates.add(x509);
                }
            }
        } catch (SSLPeerUnverifiedException e) {
            return List.of(); // the JDK reports a missing certificate like this
        }
        return certificates;
    }

    /** Explains a failed handshake: an error code, and a keyword for the cause. */
    public static StreamException explained(SSLException failure) {
        if (failure instanceof NotSslRecordException) {
            return new StreamException(
                    ErrorCode.PEER_LOST,
                    "TLS: the peer does not use TLS (both nodes need tls_certificate, tls_key and tls_trust)",
                    failure);
        }
        return new StreamException(
                ErrorCode.UNTRUSTED,
                "TLS: " + cause(failure) + ": " + failure.getMessage()
                        + " (both nodes need tls_certificate, tls_key and tls_trust)",
                failure);
    }

    /** The cause that this end found, or that the other end's alert names. */
    private static String cause(SSLException failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof Trust.SelfSignedException) {
                return "SELF_SIGNED";
            }
            if (at instanceof CertPathValidatorException path
                    && path.getReason() == CertPathValidatorException.BasicReason.REVOKED) {
                return "REVOKED";
            }
            if (at instanceof CertPathValidatorException path
                    && path.getReason() == CertPathValidatorException.BasicReason.UNDETERMINED_REVOCATION_STATUS) {
                return "REVOCATION_UNKNOWN";
            }
        }
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof CertificateExpiredException) {
                return "EXPIRED";
            }
            if (at instanceof CertificateNotYetValidException) {
                return "NOT_YET_VALID";
            }
            if (at instanceof CertPathBuilderException) {
                return "UNKNOWN_AUTHORITY";
            }
            if (at instanceof CertPathValidatorException path
                    && path.getReason() == CertPathValidatorException.BasicReason.EXPIRED) {
                return "EXPIRED";
            }
            if (at instanceof CertPathValidatorException path
                    && path.getReason() == CertPathValidatorException.BasicReason.NOT_YET_VALID) {
                return "NOT_YET_VALID";
            }
            // The JDK has no exception of its own for a wrong host; what else it throws in a check has one, or a cause.
            if (at.getClass() == CertificateException.class && at.getCause() == null) {
                return "WRONG_HOST";
            }
        }
        return "REFUSED";
    }
}
