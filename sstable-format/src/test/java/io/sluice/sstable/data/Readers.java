package io.sluice.sstable.data;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.compression.DataReader;
import io.sluice.sstable.metadata.Statistics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Opens SSTables for tests. */
public final class Readers {
    private Readers() {}

    public static PartitionReader open(Path directory, Descriptor descriptor) throws IOException {
        Path statistics = directory.resolve(descriptor.fileName(Component.STATISTICS));
        SerializationHeader header = SerializationHeader.parse(
                Statistics.read(statistics, descriptor.version()).header());
        DataReader data = openData(directory, descriptor);
        return new PartitionReader(
                data, descriptor.version(), header, List.of(new PartitionReader.Section(0, data.lengthBytes())));
    }

    private static DataReader openData(Path directory, Descriptor descriptor) throws IOException {
        Path data = directory.resolve(descriptor.fileName(Component.DATA));
        Path compression = directory.resolve(descriptor.fileName(Component.COMPRESSION_INFO));
        return Files.exists(compression) ? DataReader.compressed(data, compression) : DataReader.plain(data);
    }

    public static List<Unfiltered> drain(Partition partition) throws IOException {
        List<Unfiltered> items = new ArrayList<>();
        for (Optional<Unfiltered> item = partition.next(); item.isPresent(); item = partition.next()) {
            items.add(item.get());
        }
        return items;
    }
}
