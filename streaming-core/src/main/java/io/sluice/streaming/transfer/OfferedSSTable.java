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

/**
 * An SSTable, or a slice of one, as it is offered, and where its bytes lie. Immutable.
 *
 * @param directory where all components lie but the one that is put together
 * @param files how they are called there
 * @param data the pieces of which Data.db consists, or, of rows, {@link Component#PART}
 */
public record OfferedSSTable(SSTableOffer offer, Path directory, Descriptor files, List<SourceRegion> data) {
    /** The same, of which all components but the one that is put together lie as those of {@code files} do. */
    OfferedSSTable(SSTableOffer offer, SSTable files, List<SourceRegion> data) {
        this(offer, files.directory(), files.descriptor(), data);
    }

    public OfferedSSTable {
        data = List.copyOf(data);
    }

    /** The files that its bytes lie in. */
    public Set<Path> paths() {
        Set<Path> paths = new LinkedHashSet<>();
        for (ComponentManifest manifest : offer.components()) {
            if (isPutTogether(manifest.component())) {
                data.forEach(piece -> paths.add(piece.file()));
            } else {
                paths.add(path(manifest.component()));
            }
        }
        return paths;
    }

    private Path path(Component component) {
        return directory.resolve(files.fileName(component));
    }

    private static boolean isPutTogether(Component component) {
        return component == Component.DATA || component == Component.PART;
    }

    /** The bytes of an extent of it, in order; none is empty. */
    public List<SourceRegion> regions(Extent extent) {
        if (!isPutTogether(extent.component())) {
            return List.of(new SourceRegion(path(extent.component()), extent.offset(), extent.lengthBytes()));
        }
        List<SourceRegion> pieces = new ArrayList<>();
        long at = 0;
        for (SourceRegion piece : data) {
            if (at < extent.end() && at + piece.lengthBytes() > extent.offset()) {
                pieces.add(piece.part(extent.offset() - at, extent.end() - at));
            }
            at += piece.lengthBytes();
        }
        return pieces;
    }
}
