package io.sluice.harness.cli;

import io.sluice.harness.config.ByteAmounts;
import picocli.CommandLine;

/** Reads {@code 24MiB/s} as bytes per second. Stateless. */
public final class RateConverter implements CommandLine.ITypeConverter<Long> {
    @Override
    public Long convert(String text) {
        return ByteAmounts.rate("--throttle", text);
    }
}
