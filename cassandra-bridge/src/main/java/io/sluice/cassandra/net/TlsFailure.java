package io.sluice.cassandra.net;

import io.netty.handler.ssl.NotSslRecordException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.Optional;
import javax.net.ssl.SSLException;

/** Why one end of a connection refused the other's certificate or protocol. Stateless. */
public final class TlsFailure {
    private TlsFailure() {}

    /**
     * What the deepest cause says: those above it only say that there is one, as <i>General OpenSslEngine problem</i>.
     * Empty if no error of TLS is among the causes.
     */
    public static Optional<String> reason(Throwable failure) {
        Optional<String> reason = Optional.empty();
        boolean isTls = false;
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            isTls |= cause instanceof SSLException;
            if (isTls && cause.getMessage() != null) {
                reason = Optional.of(words(cause));
            }
        }
        return reason;
    }

    /** Whether the other end answered in plain text. */
    public static boolean isOfPlainText(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof NotSslRecordException) {
                return true;
            }
        }
        return false;
    }

    /** Whether a {@link #reason} is that a certificate names another host; Java has no type for it. */
    public static boolean isOfHost(String reason) {
        return reason.startsWith("No subject alternative ") || reason.startsWith("No name matching ");
    }

    private static String words(Throwable cause) {
        // Their messages are dates.
        boolean isDate =
                cause instanceof CertificateExpiredException || cause instanceof CertificateNotYetValidException;
        return isDate
                ? "a certificate of the other end is not valid now: " + cause.getMessage()
                : String.valueOf(cause.getMessage());
    }
}
