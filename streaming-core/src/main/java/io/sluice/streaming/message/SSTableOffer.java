package io.sluice.streaming.message;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.token.Token;
import io.sluice.streaming.mode.ModeChoice;
import io.sluice.streaming.progress.TransferMode;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * One SSTable that a source offers to send, or a part of one, as its manifest says. Immutable.
 *
 * @param number which offer of its session, from 0
 * @param source what the SSTable is called at the source
 * @param first token of the first partition
 * @param last token of the last partition
 * @param choice how it travels
 * @param components each component once; data, statistics and an index are there, and have bytes; if it travels as
 *     rows, {@link Component#PART} alone
 */
public record SSTableOffer(
        int number,
        UUID tableId,
        Descriptor source,
        Token first,
        Token last,
        ModeChoice choice,
        List<ComponentManifest> components) {

    public SSTableOffer {
        components = List.copyOf(components);
        Set<Component> kinds = EnumSet.noneOf(Component.class);
        for (ComponentManifest manifest : components) {
            if (!kinds.add(manifest.component())) {
                throw new IllegalArgumentException(
                        source + ": " + manifest.component().fileName() + " offered twice");
            }
        }
        if (choice.mode() == TransferMode.ROWS) {
            requirePart(source, kinds);
        } else {
            requireSSTable(source, kinds);
        }
        // Nothing would ever arrive of a file without a byte, and a part, or one of these components, always has some.
        components.stream()
                .filter(manifest -> manifest.lengthBytes() == 0 && isNeverEmpty(manifest.component()))
                .findFirst()
                .ifPresent(empty -> {
                    throw new IllegalArgumentException(
                            source + ": " + empty.component().fileName() + " offered without a byte");
                });
        if (first.compareTo(last) > 0) {
            throw new IllegalArgumentException(source + ": first token " + first + " after last token " + last);
        }
    }

    private static boolean isNeverEmpty(Component component) {
        return switch (component) {
            case DATA, PART, STATISTICS, INDEX, PARTITIONS -> true;
            case COMPRESSION_INFO, CRC, DIGEST, FILTER, SUMMARY, ROWS, TOC -> false;
        };
    }

    private static void requirePart(Descriptor source, Set<Component> kinds) {
        if (!kinds.equals(EnumSet.of(Component.PART))) {
            throw new IllegalArgumentException(
                    source + ": rows of it offered with " + kinds + " (expected: " + Component.PART.fileName() + ")");
        }
    }

    private static void requireSSTable(Descriptor source, Set<Component> kinds) {
        if (kinds.contains(Component.PART)) {
            throw new IllegalArgumentException(
                    source + ": offered with " + Component.PART.fileName() + ", which is no component of an SSTable");
        }
        require(source, kinds, Component.DATA);
        require(source, kinds, Component.STATISTICS);
        switch (source.version().format()) {
            case BIG -> require(source, kinds, Component.INDEX);
            case BTI -> require(source, kinds, Component.PARTITIONS);
        }
    }

    private static void require(Descriptor source, Set<Component> kinds, Component component) {
        if (!kinds.contains(component)) {
            throw new IllegalArgumentException(source + ": offered without " + component.fileName());
        }
    }

    /** Bytes of all components together. */
    public long lengthBytes() {
        return components.stream().mapToLong(ComponentManifest::lengthBytes).reduce(0, Math::addExact);
    }

    /** The manifest of one component. */
    public java.util.Optional<ComponentManifest> manifest(Component component) {
        return components.stream().filter(m -> m.component() == component).findFirst();
    }
}
