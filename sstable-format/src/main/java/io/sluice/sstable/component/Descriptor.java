package io.sluice.sstable.component;

import java.util.Optional;

/** Identifies an SSTable inside its folder: version and id. Immutable. */
public record Descriptor(Version version, SSTableId id) {

    /** The file name of one component: {@code nb-1-big-Data.db}. */
    public String fileName(Component component) {
        return this + "-" + component.fileName();
    }

    /** {@code nb-1-big}: what the names of all components begin with. */
    @Override
    public String toString() {
        return version.letters() + "-" + id + "-" + version.format().fileNamePart();
    }

    /** A descriptor and the component of one file name. */
    public record Named(Descriptor descriptor, Component component) {}

    /** What {@code fileName} names, or empty if it is no component of a known version. */
    public static Optional<Named> parse(String fileName) {
        String[] parts = fileName.split("-", -1);
        if (parts.length != 4) {
            return Optional.empty();
        }
        for (Version version : Version.values()) {
            if (version.letters().equals(parts[0])
                    && version.format().fileNamePart().equals(parts[2])) {
                return Component.ofFileName(parts[3])
                        .flatMap(component ->
                                SSTableId.parse(parts[1]).map(id -> new Named(new Descriptor(version, id), component)));
            }
        }
        return Optional.empty();
    }
}
