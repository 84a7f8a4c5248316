package io.sluice.streaming.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.token.Token;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.message.ComponentManifest;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.mode.ModeChoice;
import io.sluice.streaming.progress.TransferMode;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Room that is reserved for what comes, and what the volume says, beside each other. Long because a model is tried,
 * too.
 */
class SpaceReservationsTest {
    static final TableRef TABLE = new TableRef(new UUID(7, 7), "ks", "t");
    private static final long HEADROOM = 1_000;
    private static final long VOLUME = 40_000;
    private static final long EXTENT = 500;
    private static final long CHECKSUM = 0;

    @TempDir
    Path temp;

    private RecordingStore store;

    @BeforeEach
    void make_a_store() throws IOException {
        store = new RecordingStore(Files.createDirectories(temp.resolve("node")), TABLE);
    }

    private StagingArea open(Disk disk) throws IOException {
        return open(disk, new StagingLimits(HEADROOM, 0, 100, Duration.ofDays(1)));
    }

    private StagingArea open(Disk disk, StagingLimits limits) throws IOException {
        ReceivedSSTableCheck anything = (directory, descriptor, offer, ranges) -> Optional.empty();
        return StagingArea.open(store, disk, new StagingArea.Options(anything, limits));
    }

    /** @param lengthBytes of all files together, at least 3 */
    static SSTableOffer offer(int number, long lengthBytes) {
        return new SSTableOffer(
                number,
                TABLE.id(),
                new Descriptor(Version.NB, new SSTableId.Sequence(number + 1)),
                new Token(number),
                new Token(number),
                new ModeChoice(TransferMode.WHOLE, "a test"),
                List.of(
                        new ComponentManifest(Component.DATA, lengthBytes - 2, number),
                        new ComponentManifest(Component.INDEX, 1, CHECKSUM),
                        new ComponentManifest(Component.STATISTICS, 1, CHECKSUM)));
    }

    private StagedSet.Landing land(StagedSet set, UUID session, SSTableOffer offer) throws IOException {
        return set.land(session, offer, () -> store.newDescriptor(offer));
    }

    @Test
    void what_has_landed_is_not_counted_twice() throws IOException {
        long mib = 1L << 20;
        SmallVolume disk = new SmallVolume(1_000 * mib, 900 * mib);
        try (StagingArea area = open(disk)) {
            StagedSet set = area.begin(new UUID(1, 1), TABLE);
            StagedSet.Landing first = land(set, new UUID(2, 1), offer(0, 600 * mib));

            for (long offset = 0; offset < 500 * mib; offset += mib) {
                set.landed(first.descriptor(), new Extent(0, Component.DATA, offset, (int) mib), CHECKSUM);
            }
            disk.usableBytes = 400 * mib;

            assertThat(area.reservedBytes()).isEqualTo(100 * mib);
            land(set, new UUID(2, 2), offer(1, 200 * mib)); // of the 300 that are free, headroom not counted
            assertThatThrownBy(() -> land(set, new UUID(2, 3), offer(2, 100 * mib)))
                    .hasMessageContaining("104857600 bytes are needed, 104856600 are free (419430400 usable, 314572800"
                            + " reserved for extents not received yet, 1000 headroom for the database)")
                    .hasMessageContaining(store.stagingDirectory().toString());
        }
    }

    @Test
    void room_in_a_message_is_never_less_than_none() throws IOException {
        SmallVolume disk = new SmallVolume(1L << 40, 1L << 40);
        try (StagingArea area = StagingArea.open(store, disk)) {
            area.scratch().reserve(1L << 39);
            disk.usableBytes = 1L << 30; // somebody else has taken nearly all

            assertThatThrownBy(() -> area.scratch().reserve(1)).hasMessageContaining("1 bytes are needed, 0 are free");
        }
    }

    @Test
    void a_resized_volume_is_noticed_when_a_session_asks_for_the_free_space() throws IOException {
        SmallVolume disk = new SmallVolume(100_000, 50_000);
        StagingLimits tenth = new StagingLimits(0, 10, 100, Duration.ofDays(1));
        try (StagingArea area = open(disk, tenth)) {
            area.scratch().reserve(40_000);
            disk.volumeBytes = 500_000; // larger, and as full as it was

            assertThat(area.roomBytes()).isZero();
            assertThatThrownBy(() -> area.scratch().reserve(1)).hasMessageContaining("50000 headroom");
            StagedSet set = area.begin(new UUID(1, 1), TABLE);
            assertThatThrownBy(() -> land(set, new UUID(2, 1), offer(0, 4_000))).hasMessageContaining("50000 headroom");
        }
    }

    @Test
    void a_file_is_begun_only_if_it_will_fit_beside_those_that_were_begun() throws IOException {
        MeteredVolume disk = new MeteredVolume(10_000);
        try (StagingArea area = open(disk)) {
            StagedSet set = area.begin(new UUID(1, 1), TABLE);
            Descriptor first = land(set, new UUID(2, 1), offer(0, 4_000)).descriptor();
            Descriptor second = land(set, new UUID(2, 1), offer(1, 4_000)).descriptor();
            disk.foreignBytes = 2_000;

            set.open(first, Component.DATA).close();
            assertThatThrownBy(() -> set.open(second, Component.DATA))
                    .isInstanceOfSatisfying(
                            StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DISK_FULL))
                    .hasMessageContaining("3998 bytes are needed, 3002 are free (8000 usable, 3998 reserved");

            set.open(first, Component.DATA).close(); // what is begun is brought to its end
            disk.foreignBytes = 0;
            set.open(second, Component.DATA).close();
        }
    }

    static LongStream seeds() {
        return LongStream.range(0, 20);
    }

    /** Random steps of several sessions, beside others who fill the volume and make room, judged by a simple model. */
    @ParameterizedTest
    @MethodSource("seeds")
    void agrees_with_a_model_whatever_happens(long seed) throws IOException {
        MeteredVolume disk = new MeteredVolume(VOLUME);
        try (StagingArea area = open(disk)) {
            Steps steps = new Steps(seed, area, disk);
            for (int i = 0; i < 200; i++) {
                steps.next();
                assertThat(area.reservedBytes()).as("seed %d, step %d", seed, i).isEqualTo(steps.missingBytes());
            }
            steps.end();
            assertThat(area.reservedBytes()).as("seed %d, at the end", seed).isZero();
        }
    }

    /** What lands, as the model sees it. */
    private static final class Arriving {
        final StagedSet.Landing landing;
        final UUID session;
        long landedBytes;

        Arriving(StagedSet.Landing landing, UUID session, long landedBytes) {
            this.landing = landing;
            this.session = session;
            this.landedBytes = landedBytes;
        }

        long missingBytes() {
            return landing.offer().lengthBytes() - landedBytes;
        }
    }

    private final class Steps {
        private final SplittableRandom random;
        private final StagingArea area;
        private final MeteredVolume disk;
        private final List<Arriving> arriving = new ArrayList<>();
        private final List<Arriving> left = new ArrayList<>();
        private StagedSet set;
        private UUID plan = new UUID(1, 0);
        private int number;

        Steps(long seed, StagingArea area, MeteredVolume disk) throws IOException {
            this.random = new SplittableRandom(seed);
            this.area = area;
            this.disk = disk;
            this.set = area.begin(plan, TABLE);
        }

        long missingBytes() {
            return arriving.stream().mapToLong(Arriving::missingBytes).sum();
        }

        private long freeBytes() {
            return disk.usableBytes(temp) - HEADROOM - missingBytes();
        }

        void next() throws IOException {
            switch (random.nextInt(12)) {
                case 0, 1, 2 -> offerSome();
                case 3, 4, 5, 6 -> landSome();
                case 7 -> stage();
                case 8 -> endSession();
                case 9 -> disk.foreignBytes = random.nextLong(VOLUME);
                case 10 -> disk.foreignBytes = 0;
                case 11 -> endPlan();
                default -> throw new AssertionError();
            }
        }

        /** As long as anything, or just at the limit; or what a session has left. */
        private void offerSome() throws IOException {
            long free = freeBytes();
            long length =
                    random.nextBoolean() ? random.nextLong(3, VOLUME / 4) : Math.max(3, free + random.nextInt(-1, 2));
            boolean isLeft = !left.isEmpty() && random.nextInt(3) == 0;
            Arriving before = isLeft ? left.remove(random.nextInt(left.size())) : null;
            SSTableOffer offer = before == null ? offer(number++, length) : before.landing.offer();
            long landed = before == null ? 0 : before.landedBytes;
            UUID session = new UUID(2, random.nextInt(4));
            long missing = offer.lengthBytes() - landed;
            try {
                StagedSet.Landing landing = land(set, session, offer);
                assertThat(missing).as("room was there").isLessThanOrEqualTo(freeBytes());
                arriving.add(new Arriving(landing, session, landed));
            } catch (StreamException refused) {
                free = freeBytes(); // what was retained may have been removed
                assertThat(missing).as(refused.getMessage()).isGreaterThan(free);
                assertThat(refused).hasMessageContaining(missing + " bytes are needed, " + Math.max(0, free) + " are");
                assertThat(refused.getMessage()).doesNotContain(" -");
            }
        }

        private void landSome() throws IOException {
            List<Arriving> incomplete =
                    arriving.stream().filter(some -> some.missingBytes() > 0).toList();
            if (incomplete.isEmpty()) {
                return;
            }
            Arriving some = incomplete.get(random.nextInt(incomplete.size()));
            ComponentManifest file = fileOf(some);
            boolean isData = file.component() == Component.DATA;
            boolean isAgain = isData && some.landedBytes > 0 && random.nextInt(4) == 0; // it was damaged
            long offset = isAgain || !isData ? 0 : some.landedBytes;
            int length = (int) Math.min(EXTENT, file.lengthBytes() - offset);
            long missingOfFile = isData ? file.lengthBytes() - some.landedBytes : 1;
            long free = disk.usableBytes(temp);
            try (DiskFile open = set.open(some.landing.descriptor(), file.component())) {
                open.writeFully(ByteBuffer.allocate(length), offset);
            } catch (StreamException others) {
                assertThat(others).hasMessageContaining(missingOfFile + " bytes are needed");
                assertThat(free - HEADROOM).as("room for all that is begun").isLessThan(missingBytes());
                return;
            }
            set.landed(
                    some.landing.descriptor(),
                    new Extent(some.landing.offer().number(), file.component(), offset, length),
                    CHECKSUM);
            some.landedBytes = isData ? Math.max(some.landedBytes, offset + length) : some.landedBytes + 1;
        }

        /** The data first, then a byte of each of the others. */
        private static ComponentManifest fileOf(Arriving some) {
            List<ComponentManifest> files = some.landing.offer().components();
            long beyondData = some.landedBytes - files.get(0).lengthBytes();
            return beyondData < 0 ? files.get(0) : files.get(1 + (int) beyondData);
        }

        private void stage() throws IOException {
            for (Arriving some : List.copyOf(arriving)) {
                if (some.missingBytes() == 0) {
                    set.stage(some.session, some.landing.descriptor(), some.landing.offer(), TokenRanges.FULL);
                    arriving.remove(some);
                }
            }
        }

        private void endSession() {
            UUID session = new UUID(2, random.nextInt(4));
            set.release(session);
            arriving.stream().filter(some -> some.session.equals(session)).forEach(left::add);
            arriving.removeAll(left);
        }

        /** Installs what is staged, or keeps or removes what was received; then another one begins. */
        private void endPlan() throws IOException {
            switch (random.nextInt(3)) {
                case 0 -> area.install(set, UUID.randomUUID());
                case 1 -> area.abandon(set);
                default -> area.discard(set);
            }
            area.end(plan);
            arriving.clear();
            left.clear();
            plan = new UUID(1, plan.getLeastSignificantBits() + 1);
            set = area.begin(plan, TABLE);
        }

        void end() throws IOException {
            area.discard(set);
            arriving.clear();
        }
    }
}
