package io.sluice.streaming.message;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.token.Token;
import io.sluice.streaming.mode.ModeChoice;
import io.sluice.streaming.progress.TransferMode;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * The offer of a source to send an SSTable, or a part of one, with its manifest. Immutable.
 *
 * @param number number of the offer in its session, from 0
 * @param source the descriptor of the SSTable at the source
 * @param first token of the first partition
 * @param last token of the last partition
 * @param choice how it is sent, and why
 * @param components each component once; includes data, statistics and an index, none of them empty; if it is sent as
 *     rows, {@link Component#PART} instead of all of them; may include {@link Component#ATTACHED}
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
        // No extent would arrive for an empty file, and a part, or one of these components, is never empty.
        components.stream()
                .filter(manifest -> manifest.lengthBytes() == 0 && isNeverEmpty(manifest.component()))
                .findFirst()
                .ifPresent(empty -> {
                    throw new IllegalArgumentException(
                            source + ": " + empty.component().fileName() + " offered as an empty file");
                });
        if (first.compareTo(last) > 0) {
            throw new IllegalArgumentException(source + ": first token " + first + " after last token " + last);
        }
    }

    private static boolean isNeverEmpty(Component component) {
        return switch (component) {
            case DATA, PART, ATTACHED, STATISTICS, INDEX, PARTITIONS -> true;
            case COMPRESSION_INFO, CRC, DIGEST, FILTER, SUMMARY, ROWS, TOC -> false;
        };
    }

    private static void requirePart(Descriptor source, Set<Component> kinds) {
        Set<Component> own = EnumSet.copyOf(kinds);
        own.remove(Component.ATTACHED);
        if (!own.equals(EnumSet.of(Component.PART))) {
            throw new IllegalArgumentException(
                    source + ": offered as rows with " + kinds + " (expected: " + Component.PART.fileName() + ")");
        }
    }

    private static void requireSSTable(Descriptor source, Set<Component> kinds) {
        if (kinds.contains(Component.PART)) {
            throw new IllegalArgumentException(source + ": offered with " + Component.PART.fileName()
                    + ", which is not a component of an SSTable");
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

    /** The sum of the lengths of all components. */
    public long lengthBytes() {
        return components.stream().mapToLong(ComponentManifest::lengthBytes).reduce(0, Math::addExact);
    }

    /** A copy with another component. */
    public SSTableOffer and(ComponentManifest other) {
        List<ComponentManifest> all = new ArrayList<>(components);
        all.add(other);
        return new SSTableOffer(number, tableId, source, first, last, choice, all);
    }

    /** The manifest of one component. */
    public java.util.Optional<ComponentManifest> manifest(Component component) {
        return components.stream().filter(m -> m.component() == component).findFirst();
    }
}
