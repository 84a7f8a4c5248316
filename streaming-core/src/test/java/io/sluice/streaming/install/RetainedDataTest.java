package io.sluice.streaming.install;

import static io.sluice.streaming.install.SpaceReservationsTest.TABLE;
import static io.sluice.streaming.install.SpaceReservationsTest.offer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.zip.CRC32;
import org.assertj.core.api.Condition;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Data that failed plans have left, and plans that need its space. */
class RetainedDataTest {
    private static final TableRef OTHER = new TableRef(new UUID(8, 8), "ks", "other");
    private static final TableRef THIRD = new TableRef(new UUID(9, 9), "ks", "third");
    private static final long HEADROOM = 1_000;
    private static final long VOLUME = 40_000;

    @TempDir
    Path temp;

    private final MeteredVolume disk = new MeteredVolume(VOLUME);
    private RecordingStore store;

    @BeforeEach
    void make_a_store() throws IOException {
        store = new RecordingStore(Files.createDirectories(temp.resolve("node")), TABLE);
    }

    private StagingArea open(Disk disk) throws IOException {
        ReceivedSSTableCheck anything = (directory, descriptor, offer, ranges) -> Optional.empty();
        StagingLimits limits = new StagingLimits(HEADROOM, 0, 100, Duration.ofDays(1));
        return StagingArea.open(
                store, disk, new StagingArea.Options(anything, limits, Optional.empty(), UUID::randomUUID));
    }

    private StagedSet.Landing land(StagedSet set, UUID session, SSTableOffer offer) throws IOException {
        return set.land(session, offer, () -> store.newDescriptor(offer));
    }

    /** A plan of a table fails when some of an SSTable of 30,000 bytes has landed: 22,000 of them. */
    private Path retained(StagingArea area, UUID plan, TableRef table, int number) throws IOException {
        StagedSet set = area.begin(plan, table);
        StagedSet.Landing landing = land(set, new UUID(2, 1), offer(number, 30_000));
        try (DiskFile file = set.open(landing.descriptor(), Component.DATA)) {
            file.writeFully(ByteBuffer.allocate(22_000), 0);
        }
        set.landed(landing.descriptor(), new Extent(number, Component.DATA, 0, 22_000), crc32(22_000));
        area.abandon(set);
        area.end(plan);
        return store.stagingDirectory()
                .resolve(plan.toString())
                .resolve(table.id().toString());
    }

    private static long crc32(int zeros) {
        CRC32 crc = new CRC32();
        crc.update(new byte[zeros]);
        return crc.getValue();
    }

    @Test
    void what_failed_plans_left_goes_when_its_space_is_needed() throws IOException {
        try (StagingArea area = open(disk)) {
            Path left = retained(area, new UUID(1, 1), TABLE, 0);
            StagedSet set = area.begin(new UUID(1, 2), OTHER);
            land(set, new UUID(2, 2), offer(1, 17_000)); // of 40,000 are 22,000 taken, and 1,000 headroom
            assertThat(left).exists();

            land(set, new UUID(2, 2), offer(2, 22_000));

            assertThat(left.getParent()).doesNotExist();
            assertThat(area.abandonedBytes()).isZero();
        }
    }

    @Test
    void what_failed_plans_left_stays_if_its_space_would_not_be_enough() throws IOException {
        try (StagingArea area = open(disk)) {
            Path left = retained(area, new UUID(1, 1), TABLE, 0);
            StagedSet set = area.begin(new UUID(1, 2), OTHER);

            assertThatThrownBy(() -> land(set, new UUID(2, 2), offer(1, 39_500)))
                    .hasMessageContaining("39500 bytes are needed, 17000 are free");

            assertThat(left).exists();
        }
    }

    @Test
    void what_failed_plans_left_goes_when_a_file_begins_whose_space_others_have_taken() throws IOException {
        try (StagingArea area = open(disk)) {
            Path left = retained(area, new UUID(1, 1), TABLE, 0);
            StagedSet set = area.begin(new UUID(1, 2), OTHER);
            StagedSet.Landing landing = land(set, new UUID(2, 2), offer(1, 17_000));
            disk.foreignBytes = 10_000;

            set.open(landing.descriptor(), Component.DATA).close();

            assertThat(left).doesNotExist();
        }
    }

    @Test
    void what_a_failed_plan_left_of_the_same_table_goes_if_no_offer_has_its_content() throws IOException {
        try (StagingArea area = open(disk)) {
            retained(area, new UUID(1, 1), TABLE, 0);
            StagedSet set = area.begin(new UUID(1, 2), TABLE);
            assertThat(area.abandonedBytes()).isZero(); // it is of this set now

            land(set, new UUID(2, 2), offer(1, 39_000)); // the source has compacted

            assertThat(area.reservedBytes()).isEqualTo(39_000);
            set.release(new UUID(2, 2));
            assertThat(land(set, new UUID(2, 3), offer(0, 30_000)).held()).isEmpty();
        }
    }

    @Test
    void what_a_failed_plan_left_of_the_same_table_stays_if_an_offer_has_its_content() throws IOException {
        try (StagingArea area = open(disk)) {
            retained(area, new UUID(1, 1), TABLE, 0);
            StagedSet set = area.begin(new UUID(1, 2), TABLE);

            StagedSet.Landing resumed = land(set, new UUID(2, 2), offer(0, 30_000));
            assertThatThrownBy(() -> land(set, new UUID(2, 2), offer(1, 20_000)))
                    .hasMessageContaining("20000 bytes are needed, 9000 are free");

            assertThat(resumed.held()).hasSize(1);
            assertThat(Files.size(set.folders()
                            .get(0)
                            .path()
                            .resolve(resumed.descriptor().fileName(Component.DATA))))
                    .isEqualTo(22_000);
        }
    }

    @Test
    void what_failed_plans_left_stays_if_others_use_the_headroom_and_its_space_would_not_be_enough()
            throws IOException {
        try (StagingArea area = open(disk)) {
            Path left = retained(area, new UUID(1, 1), TABLE, 0);
            StagedSet set = area.begin(new UUID(1, 2), OTHER);
            disk.foreignBytes = 18_000; // the rest

            assertThatThrownBy(() -> land(set, new UUID(2, 2), offer(1, 21_500)))
                    .hasMessageContaining("21500 bytes are needed, 0 are free");

            assertThat(left).exists();
            assertThat(area.roomBytes()).as("a session would not even begin").isLessThan(21_500);
        }
    }

    @Test
    void what_a_failed_plan_left_of_the_same_table_stays_if_its_space_would_not_be_enough() throws IOException {
        try (StagingArea area = open(disk)) {
            retained(area, new UUID(1, 1), TABLE, 0);
            StagedSet set = area.begin(new UUID(1, 2), TABLE);
            disk.foreignBytes = 18_000;

            assertThatThrownBy(() -> land(set, new UUID(2, 2), offer(1, 21_500)))
                    .hasMessageContaining("21500 bytes are needed, 0 are free");

            disk.foreignBytes = 0;
            assertThat(land(set, new UUID(2, 3), offer(0, 30_000)).held()).hasSize(1);
        }
    }

    @Test
    void what_failed_plans_left_of_this_table_and_of_others_goes_if_only_both_are_enough() throws IOException {
        MeteredVolume large = new MeteredVolume(60_000);
        try (StagingArea area = open(large)) {
            Path left = retained(area, new UUID(1, 1), OTHER, 0);
            retained(area, new UUID(1, 2), TABLE, 1);
            StagedSet set = area.begin(new UUID(1, 3), TABLE);

            land(set, new UUID(2, 2), offer(2, 58_000));

            assertThat(left).doesNotExist();
            assertThat(land(set, new UUID(2, 3), offer(3, 3)).held()).isEmpty();
        }
    }

    @Test
    void what_failed_plans_left_stays_if_another_session_has_made_room_meanwhile() throws IOException {
        MeteredVolume large = new MeteredVolume(55_000);
        List<StagedSet> waiting = new ArrayList<>();
        ForwardingDisk measured = new ForwardingDisk() {
            @Override
            public Disk real() {
                return large;
            }

            /** When a session has found too little, the other one finds the same, and is quicker. */
            @Override
            public long usableBytes(Path directory) throws IOException {
                long usable = large.usableBytes(directory);
                if (!waiting.isEmpty()) {
                    land(waiting.remove(0), new UUID(2, 2), offer(3, 12_000));
                }
                return usable;
            }
        };
        try (StagingArea area = open(measured)) {
            Path older = retained(area, new UUID(1, 1), TABLE, 0);
            Path newer = retained(area, new UUID(1, 2), OTHER, 1);
            StagedSet one = area.begin(new UUID(1, 3), THIRD);
            waiting.add(area.begin(new UUID(1, 4), THIRD));

            land(one, new UUID(2, 3), offer(2, 12_000)); // 10,000 are free, and 22,000 of each set

            assertThat(List.of(older, newer)).as("one of them is enough").haveExactly(1, existing());
        }
    }

    private static Condition<Path> existing() {
        return new Condition<>(Files::exists, "existing");
    }

    @Test
    void what_failed_plans_left_stays_if_another_volume_has_space() throws IOException {
        Path second = temp.resolve("second");
        store.others = List.of(second);
        store.firstTokens = TokenRanges.FULL;
        ForwardingDisk both = new ForwardingDisk() {
            @Override
            public Disk real() {
                return disk;
            }

            @Override
            public long usableBytes(Path directory) throws IOException {
                return directory.startsWith(second) ? VOLUME : disk.usableBytes(directory);
            }
        };
        try (StagingArea area = open(both)) {
            Path left = retained(area, new UUID(1, 1), TABLE, 0);
            StagedSet set = area.begin(new UUID(1, 2), OTHER);

            land(set, new UUID(2, 2), offer(1, 30_000)); // the first volume should hold it

            assertThat(left).exists();
            assertThat(area.reservedBytes()).isEqualTo(30_000);

            land(set, new UUID(2, 2), offer(2, 30_000));

            assertThat(left).as("no volume has space").doesNotExist();
        }
    }

    /** A disk that does not remove some files. */
    private static Disk keeping(Predicate<Path> files, Disk real) {
        return new ForwardingDisk() {
            @Override
            public Disk real() {
                return real;
            }

            @Override
            public void delete(Path path) throws IOException {
                if (files.test(path)) {
                    throw new AccessDeniedException(path.toString());
                }
                real.delete(path);
            }
        };
    }

    @Test
    void what_cannot_be_removed_fails_no_plan_that_needs_the_space() throws IOException {
        MeteredVolume large = new MeteredVolume(60_000);
        Path data = Path.of(TABLE.id().toString(), "nb-501-big-Data.db");
        try (StagingArea area = open(keeping(path -> path.endsWith(data), large))) {
            Path oldest = retained(area, new UUID(1, 1), TABLE, 0);
            Path next = retained(area, new UUID(1, 2), OTHER, 1);
            StagedSet set = area.begin(new UUID(1, 3), THIRD);

            land(set, new UUID(2, 2), offer(2, 20_000));

            assertThat(oldest).isNotEmptyDirectory();
            assertThat(next).doesNotExist();
        }
    }

    @Test
    void what_cannot_be_removed_of_the_same_table_fails_no_plan_but_leaves_the_disk_full() throws IOException {
        try (StagingArea area = open(keeping(path -> path.toString().endsWith(Component.DATA.fileName()), disk))) {
            retained(area, new UUID(1, 1), TABLE, 0);
            StagedSet set = area.begin(new UUID(1, 2), TABLE);

            assertThatThrownBy(() -> land(set, new UUID(2, 2), offer(1, 39_000)))
                    .isInstanceOfSatisfying(
                            StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DISK_FULL));
        }
    }
}
