package io.sluice.netty;

import io.sluice.netty.security.Tls;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reloads certificates when their files change, and warns before they expire. Confined to one task at a time. */
final class CertificateReloader {
    private static final Logger LOG = LoggerFactory.getLogger(CertificateReloader.class);
    private static final Duration WARNING = Duration.ofDays(30);
    private static final Duration REPEATED = Duration.ofDays(1);

    private final Tls tls;
    private Instant warned = Instant.MIN;

    CertificateReloader(Tls tls) {
        this.tls = tls;
    }

    /** Checks the files once; called on a thread that may block. */
    synchronized void look(Instant now) {
        try {
            if (tls.reloadIfWritten()) {
                warned = Instant.MIN;
                LOG.info("certificates reloaded; the certificate of this node is valid until {}", tls.expires());
            }
        } catch (IOException | RuntimeException e) {
            LOG.error("cannot reload certificates, the previous ones stay in use: {}", e.getMessage(), e);
        }
        if (now.plus(WARNING).isAfter(tls.expires())
                && (warned.equals(Instant.MIN) || now.isAfter(warned.plus(REPEATED)))) {
            warned = now;
            LOG.warn(
                    "this node's certificate, or one in its chain, expires on {}: replace the files of"
                            + " tls_certificate and tls_key",
                    tls.expires());
        }
    }
}
