package io.sluice.harness.cli;

import io.sluice.cassandra.net.CassandraTls;
import io.sluice.harness.admin.Refusal;
import io.sluice.harness.config.ConfigException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The files of TLS that a command line names. Immutable.
 *
 * @param prefix how their options begin: {@code --}, or {@code --cql-}
 * @param trust whose certificates are trusted; without it there is no TLS
 * @param key our own
 * @param password a file whose first line is the password of both
 */
public record TlsStores(
        String prefix,
        @Nullable Path trust,
        @Nullable Path key,
        @Nullable Path password) {
    /** Work that reads a file. */
    private interface Reading {
        CassandraTls run() throws IOException;
    }

    /**
     * Reads them; empty without {@link #trust}.
     *
     * @param verifiesHost whether a node's certificate must name the address that we connect to
     * @throws ConfigException if one is missing, or cannot be read; names its option
     */
    public Optional<CassandraTls> read(boolean verifiesHost) {
        if (trust == null) {
            return Optional.empty();
        }
        String opens = ContactOptions.firstLine(prefix + "truststore", prefix + "store-password-file", password);
        var trusted = new CassandraTls.Store(trust, opens);
        CassandraTls tls = read("truststore", () -> CassandraTls.of(trusted, Optional.empty(), verifiesHost));
        if (key == null) {
            return Optional.of(tls);
        }
        var own = new CassandraTls.Store(key, opens);
        return Optional.of(read("keystore", () -> tls.withKey(own)));
    }

    private CassandraTls read(String option, Reading file) {
        try {
            return file.run();
        } catch (IOException e) {
            throw new ConfigException(prefix + option + " " + Refusal.because(e), e);
        }
    }
}
