package io.sluice.streaming.transfer;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.streaming.message.ComponentManifest;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.SSTableOffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * An offered SSTable or part of one, and the location of its bytes. Immutable.
 *
 * @param directory the directory of all components except those that consist of regions
 * @param files the descriptor of the files in this directory
 * @param data the regions of Data.db, or, for rows, of {@link Component#PART}
 * @param attached the regions of {@link Component#ATTACHED}; none if it is not offered
 */
public record OfferedSSTable(
        SSTableOffer offer, Path directory, Descriptor files, List<SourceRegion> data, List<SourceRegion> attached) {
    /** Without attached files. */
    public OfferedSSTable(SSTableOffer offer, Path directory, Descriptor files, List<SourceRegion> data) {
        this(offer, directory, files, data, List.of());
    }

    /** An offer whose components, except the one that consists of regions, are the files of {@code files}. */
    OfferedSSTable(SSTableOffer offer, SSTable files, List<SourceRegion> data) {
        this(offer, files.directory(), files.descriptor(), data);
    }

    public OfferedSSTable {
        data = List.copyOf(data);
        attached = List.copyOf(attached);
    }

    /** All files with bytes of the offer. */
    public Set<Path> paths() {
        Set<Path> paths = new LinkedHashSet<>();
        for (ComponentManifest manifest : offer.components()) {
            if (isPutTogether(manifest.component())) {
                pieces(manifest.component()).forEach(piece -> paths.add(piece.file()));
            } else {
                paths.add(path(manifest.component()));
            }
        }
        return paths;
    }

    /** Whether some of its bytes are in {@code folder}, or in a folder in it. */
    public boolean isIn(Path folder) {
        return directory.startsWith(folder)
                || Stream.concat(data.stream(), attached.stream())
                        .anyMatch(piece -> piece.file().startsWith(folder));
    }

    private Path path(Component component) {
        return directory.resolve(files.fileName(component));
    }

    private static boolean isPutTogether(Component component) {
        return component == Component.DATA || component == Component.PART || component == Component.ATTACHED;
    }

    private List<SourceRegion> pieces(Component component) {
        return component == Component.ATTACHED ? attached : data;
    }

    /** The regions of an extent, in order; none is empty. */
    public List<SourceRegion> regions(Extent extent) {
        if (!isPutTogether(extent.component())) {
            return List.of(new SourceRegion(path(extent.component()), extent.offset(), extent.lengthBytes()));
        }
        List<SourceRegion> pieces = new ArrayList<>();
        long at = 0;
        for (SourceRegion piece : pieces(extent.component())) {
            if (at < extent.end() && at + piece.lengthBytes() > extent.offset()) {
                pieces.add(piece.part(extent.offset() - at, extent.end() - at));
            }
            at += piece.lengthBytes();
        }
        return pieces;
    }
}
