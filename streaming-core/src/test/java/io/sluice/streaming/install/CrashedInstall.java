package io.sluice.streaming.install;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.transfer.block.Pinned;
import io.sluice.streaming.transfer.block.WholeSSTables;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** A node that died between the links of a set of three SSTables and the answer of its database. */
record CrashedInstall(RecordingStore store) {
    static final UUID PLAN = new UUID(1, 1);
    static final UUID INSTALL = new UUID(2, 2);
    private static final UUID SESSION = new UUID(3, 3);
    private static final Path FIXTURE =
            Path.of("..", "sstable-format", "src", "test", "resources", "fixtures", "multi_sstable", "nb");

    /** The folder of the set on the first volume. */
    Path set() {
        return store.stagingDirectory()
                .resolve(PLAN.toString())
                .resolve(store.table.id().toString());
    }

    static TableRef table() throws IOException {
        TableDirectory source = TableDirectory.find(FIXTURE).get(0);
        return new TableRef(source.id(), source.keyspace(), source.name());
    }

    static CrashedInstall of(RecordingStore store) throws IOException {
        try (StagingArea area = StagingArea.open(
                store,
                new FileSystemDisk(),
                new StagingArea.Options(
                        ReceivedSSTableCheck.opening(), StagingLimits.DEFAULTS, Optional.empty(), UUID::randomUUID))) {
            StagedSet set = area.begin(PLAN, store.table);
            receive(store, set);
            store.failGoLive = true;
            assertThatThrownBy(() -> area.install(set, INSTALL)).isInstanceOf(IOException.class);
            store.failGoLive = false;
        }
        return new CrashedInstall(store);
    }

    /** Stages all SSTables, as the attempt of a session does. */
    static void receive(RecordingStore store, StagedSet set) throws IOException {
        TableDirectory source = TableDirectory.find(FIXTURE).get(0);
        List<SSTable> sstables = new ArrayList<>();
        for (Descriptor descriptor : source.descriptors()) {
            sstables.add(SSTable.open(source.path(), descriptor));
        }
        for (SSTableOffer offer : WholeSSTables.offers(Pinned.of(store.table, sstables), TokenRanges.FULL, 0)) {
            set.stage(SESSION, land(source, store, set, offer), offer, TokenRanges.FULL);
        }
    }

    private static Descriptor land(TableDirectory source, RecordingStore store, StagedSet set, SSTableOffer offer)
            throws IOException {
        Descriptor descriptor =
                set.land(SESSION, offer, () -> store.newDescriptor(offer)).descriptor();
        for (var manifest : offer.components()) {
            byte[] bytes =
                    Files.readAllBytes(source.path().resolve(offer.source().fileName(manifest.component())));
            try (DiskFile file = set.open(descriptor, manifest.component())) {
                file.writeFully(ByteBuffer.wrap(bytes), 0);
            }
            set.landed(descriptor, new Extent(offer.number(), manifest.component(), 0, bytes.length), manifest.crc32());
        }
        return descriptor;
    }
}
