package io.sluice.harness.store;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.component.SSTableFormat;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.data.ClusteringOrder;
import io.sluice.sstable.data.Column;
import io.sluice.sstable.data.SerializationHeader;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * What is needed to write rows of a table. Immutable.
 *
 * @param version of new SSTables
 */
record TableLayout(SerializationHeader header, WriterOptions options, Version version) {
    static TableLayout of(TableSchema schema) {
        return new TableLayout(schema.header(SerializationHeader.Base.EPOCH), schema.options(), Version.NB);
    }

    /** A layout that covers all of {@code sstables}, one or more of the same table. */
    static TableLayout of(Collection<SSTable> sstables) throws IOException {
        List<SerializationHeader> headers = new ArrayList<>();
        Set<Column> statics = new TreeSet<>();
        Set<Column> regulars = new TreeSet<>();
        Version newest = Version.NB;
        boolean isAllOfTries = true;
        for (SSTable sstable : sstables) {
            SerializationHeader header =
                    SerializationHeader.parse(sstable.statistics().header());
            headers.add(header);
            statics.addAll(header.staticColumns());
            regulars.addAll(header.regularColumns());
            Version version = sstable.descriptor().version();
            newest = version.compareTo(Version.NB) > 0 ? Version.OA : newest;
            isAllOfTries &= version == Version.DA;
        }
        SerializationHeader first = headers.get(0);
        return new TableLayout(
                new SerializationHeader(
                        first.base(),
                        first.keyType(),
                        first.clusteringTypes(),
                        List.copyOf(statics),
                        List.copyOf(regulars)),
                optionsOf(sstables.iterator().next()),
                isAllOfTries ? Version.DA : newest);
    }

    private static WriterOptions optionsOf(SSTable sstable) {
        WriterOptions options = sstable.descriptor().version().format() == SSTableFormat.BIG
                ? WriterOptions.DEFAULTS.withFilterChance(
                        sstable.statistics().validation().filterChance())
                : WriterOptions.DEFAULTS;
        return sstable.compression()
                .map(info -> options.withCompression(info.parameters()))
                .orElseGet(options::withoutCompression);
    }

    ClusteringOrder order() {
        return new ClusteringOrder(header.clusteringTypes());
    }
}
