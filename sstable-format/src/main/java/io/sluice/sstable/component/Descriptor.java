package io.sluice.sstable.component;

import java.util.List;
import java.util.Optional;

/** Identifies an SSTable inside its folder: version and id. Immutable. */
public record Descriptor(Version version, SSTableId id) {
    private static final List<Version> VERSIONS = List.of(Version.values());

    /** The file name of one component: {@code nb-1-big-Data.db}. */
    public String fileName(Component component) {
        return named(component.fileName());
    }

    /** The name of an attached file: {@code nb-1-big-Scylla.db}. */
    public String fileName(AttachedFile attached) {
        return named(attached.name());
    }

    private String named(String rest) {
        return String.join(
                "-", version.letters(), id.toString(), version.format().fileNamePart(), rest);
    }

    /** {@code nb-1-big}: the prefix of the names of all components. */
    @Override
    public String toString() {
        return String.join(
                "-", version.letters(), id.toString(), version.format().fileNamePart());
    }

    /** A descriptor and the component of one file name. */
    public record Named(Descriptor descriptor, Component component) {}

    /** Parses {@code fileName}; empty if it is not a component of a known version. */
    public static Optional<Named> parse(String fileName) {
        return split(fileName)
                .flatMap(split ->
                        Component.ofFileName(split.rest()).map(component -> new Named(split.descriptor(), component)));
    }

    /** The SSTable of {@code fileName}, a component or an attached file; empty if it belongs to none. */
    public static Optional<Descriptor> ofFile(String fileName) {
        return split(fileName)
                .filter(split -> Component.ofFileName(split.rest()).isPresent() || AttachedFile.isName(split.rest()))
                .map(Split::descriptor);
    }

    private record Split(Descriptor descriptor, String rest) {}

    /** Splits by hand: it is asked for each file of each table that is opened. */
    private static Optional<Split> split(String fileName) {
        int id = fileName.indexOf('-') + 1;
        int format = fileName.indexOf('-', id) + 1;
        int rest = fileName.indexOf('-', format) + 1;
        if (id == 0 || format == 0 || rest == 0 || fileName.indexOf('-', rest) >= 0) {
            return Optional.empty();
        }
        for (Version version : VERSIONS) {
            if (isPart(fileName, 0, id - 1, version.letters())
                    && isPart(fileName, format, rest - 1, version.format().fileNamePart())) {
                return SSTableId.parse(fileName.substring(id, format - 1))
                        .map(parsed -> new Split(new Descriptor(version, parsed), fileName.substring(rest)));
            }
        }
        return Optional.empty();
    }

    private static boolean isPart(String fileName, int start, int end, String part) {
        return part.length() == end - start && fileName.startsWith(part, start);
    }
}
