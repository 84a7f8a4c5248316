package io.sluice.netty;

import io.sluice.netty.security.Tls;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes new certificates over when their files are written, and says when they end. Confined to one task at a time. */
final class CertificateReloader {
    private static final Logger LOG = LoggerFactory.getLogger(CertificateReloader.class);
    private static final Duration WARNING = Duration.ofDays(30);
    private static final Duration REPEATED = Duration.ofDays(1);

    private final Tls tls;
    private Instant warned = Instant.MIN;

    CertificateReloader(Tls tls) {
        this.tls = tls;
    }

    /** One look; on a thread that may wait for the disk. */
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
                    "this node's certificate, or one that vouches for it, ends on {}: write new files in place of"
                            + " tls_certificate and tls_key",
                    tls.expires());
        }
    }
}
