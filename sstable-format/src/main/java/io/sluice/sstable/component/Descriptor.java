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
        return version.letters() + "-" + id + "-" + version.format().fileNamePart() + "-" + rest;
    }

    /** {@code nb-1-big}: the prefix of the names of all components. */
    @Override
    public String toString() {
        return version.letters() + "-" + id + "-" + version.format().fileNamePart();
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

    private static Optional<Split> split(String fileName) {
        String[] parts = fileName.split("-", -1);
        if (parts.length != 4) {
            return Optional.empty();
        }
        for (Version version : VERSIONS) {
            if (version.letters().equals(parts[0])
                    && version.format().fileNamePart().equals(parts[2])) {
                return SSTableId.parse(parts[1]).map(id -> new Split(new Descriptor(version, id), parts[3]));
            }
        }
        return Optional.empty();
    }
}
