package io.sluice.harness.cli;

import io.sluice.harness.config.ByteAmounts;
import picocli.CommandLine;

/** Reads {@code 1GiB} as bytes. Stateless. */
public final class SizeConverter implements CommandLine.ITypeConverter<Long> {
    @Override
    public Long convert(String text) {
        return ByteAmounts.bytes("--size", text);
    }
}
