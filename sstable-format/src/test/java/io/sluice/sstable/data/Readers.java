package io.sluice.sstable.data;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.encoding.ComponentInput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Opens SSTables for tests. */
public final class Readers {
    private static final int HEADER = 3;

    private Readers() {}

    public static PartitionReader open(Path directory, Descriptor descriptor) throws IOException {
        Path data = directory.resolve(descriptor.fileName(Component.DATA));
        return new PartitionReader(
                ComponentInput.open(data),
                descriptor.version(),
                header(directory, descriptor),
                List.of(new PartitionReader.Section(0, Files.size(data))));
    }

    public static List<Unfiltered> drain(Partition partition) throws IOException {
        List<Unfiltered> items = new ArrayList<>();
        for (Optional<Unfiltered> item = partition.next(); item.isPresent(); item = partition.next()) {
            items.add(item.get());
        }
        return items;
    }

    public static SerializationHeader header(Path directory, Descriptor descriptor) throws IOException {
        Path statistics = directory.resolve(descriptor.fileName(Component.STATISTICS));
        try (ComponentInput in = ComponentInput.open(statistics)) {
            int count = in.readInt();
            in.seek(8);
            long start = 0;
            for (int i = 0; i < count; i++) {
                int type = in.readInt();
                start = type == HEADER ? in.readInt() : in.readInt() * 0L + start;
            }
            in.seek(start);
            return SerializationHeader.parse(in.readBytes(in.remaining() - 4));
        }
    }
}
