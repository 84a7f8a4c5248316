package io.sluice.harness.cli.sstable;

import io.sluice.sstable.component.Version;
import java.util.Locale;
import java.util.stream.Stream;
import picocli.CommandLine;

/** Reads the two letters of a version. Stateless. */
final class VersionConverter implements CommandLine.ITypeConverter<Version> {
    @Override
    public Version convert(String text) {
        return Stream.of(Version.values())
                .filter(version -> version.letters().equals(text.toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() -> new CommandLine.TypeConversionException("'" + text + "' (expected: nb, oa or da)"));
    }
}
