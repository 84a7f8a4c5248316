package io.sluice.streaming.install;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.log.LogKeys;
import io.sluice.streaming.store.TableRef;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AbandonedSetsTest {
    private static final TableRef TABLE = new TableRef(new UUID(0, 7), "ks", "t");
    private static final long NOW_MILLIS = 1_700_000_000_000L;
    private static final long DAY_MILLIS = Duration.ofDays(1).toMillis();
    private static final long HOUR_NANOS = Duration.ofHours(1).toNanos();

    @TempDir
    Path root;

    private final SmallVolume disk = new SmallVolume(1 << 20, 1_000);
    private RecordingStore store;
    private AbandonedSets abandoned;
    /** What the disk does not remove, with all in it. */
    private @Nullable Path undeletable;

    private List<Path> removed = List.of();

    @BeforeEach
    void open() throws IOException {
        store = new RecordingStore(root, TABLE);
        Disk stubborn = new ForwardingDisk() {
            @Override
            public Disk real() {
                return disk;
            }

            @Override
            public void delete(Path file) throws IOException {
                if (undeletable != null && file.startsWith(undeletable)) {
                    throw new AccessDeniedException(file.toString());
                }
                disk.delete(file);
            }
        };
        abandoned = new AbandonedSets(stubborn, root, store::isDropped, StagingLimits.DEFAULTS);
    }

    private Path kept(int plan, int bytes, long ageMillis) throws IOException {
        Path set = Files.createDirectories(
                root.resolve(new UUID(5, plan).toString()).resolve(TABLE.id().toString()));
        Files.write(set.resolve("nb-1-big-Data.db"), new byte[bytes]);
        Path journal = Files.createFile(set.resolve(Journal.NAME));
        Files.setLastModifiedTime(journal, FileTime.fromMillis(NOW_MILLIS - ageMillis));
        removed = abandoned.add(TABLE.id(), set);
        return set;
    }

    @Test
    void the_oldest_go_when_they_are_more_than_a_tenth_of_the_room() throws IOException {
        Path second = kept(2, 60, 2);
        Path third = kept(3, 50, 1);
        assertThat(abandoned.bytes()).isEqualTo(110); // 1,110 bytes could be used

        Path oldest = kept(1, 20, 3);

        assertThat(oldest.getParent()).doesNotExist();
        assertThat(second).exists();
        assertThat(third).exists();
        Path newest = kept(4, 900, 0);
        assertThat(second).doesNotExist();
        assertThat(third).doesNotExist();
        assertThat(newest).as("the next attempt needs it").exists();
        assertThat(abandoned.bytes()).isEqualTo(900);
    }

    @Test
    void what_was_too_old_twice_with_an_hour_between_goes() throws IOException {
        Path old = kept(1, 10, 8 * DAY_MILLIS);
        Path young = kept(2, 10, 6 * DAY_MILLIS);

        abandoned.expire(NOW_MILLIS, 5);
        abandoned.expire(NOW_MILLIS, 4 + HOUR_NANOS);
        assertThat(old).exists();
        abandoned.expire(NOW_MILLIS, 5 + HOUR_NANOS);

        assertThat(old).doesNotExist();
        assertThat(young).exists();
    }

    @Test
    void what_was_kept_of_a_table_goes_when_that_is_dropped() throws IOException {
        Path set = kept(1, 10, 0);
        abandoned.expire(NOW_MILLIS, 5);
        assertThat(set).exists();

        store.knowsTable = false;
        store.isDropped = true;
        abandoned.expire(NOW_MILLIS, 6);

        assertThat(set.getParent()).doesNotExist();
        assertThat(abandoned.bytes()).isZero();
    }

    @Test
    void a_set_that_cannot_be_removed_keeps_no_other_from_going() throws IOException {
        Path stays = kept(1, 10, 8 * DAY_MILLIS);
        Path goes = kept(2, 10, 8 * DAY_MILLIS);
        undeletable = stays;

        abandoned.expire(NOW_MILLIS, 5);
        abandoned.expire(NOW_MILLIS, 5 + HOUR_NANOS);

        assertThat(stays).isNotEmptyDirectory();
        assertThat(goes).doesNotExist();
    }

    @Test
    void a_set_is_retained_even_if_an_older_one_cannot_be_removed_for_it() throws IOException {
        undeletable = kept(1, 10, 1);

        Path newest = kept(2, 900, 0);

        assertThat(newest).exists();
        assertThat(undeletable).isNotEmptyDirectory();
        assertThat(removed).as("the node would report it as removed").isEmpty();
        assertThat(abandoned.bytes()).isEqualTo(900);
    }

    @Test
    void a_line_about_what_goes_names_the_plan_and_the_table() throws IOException {
        Set<LogKeys> keys = new HashSet<>();
        ForwardingDisk watched = new ForwardingDisk() {
            @Override
            public Disk real() {
                return disk;
            }

            @Override
            public void delete(Path file) throws IOException {
                keys.add(LogKeys.current());
                disk.delete(file);
            }
        };
        abandoned = new AbandonedSets(watched, root, table -> true, StagingLimits.DEFAULTS);
        kept(1, 10, 0);

        abandoned.expire(NOW_MILLIS, 5);

        assertThat(keys)
                .containsExactly(
                        new LogKeys(new UUID(5, 1).toString(), null, TABLE.id().toString()));
        assertThat(LogKeys.current()).isEqualTo(new LogKeys(null, null, null));
    }

    @Test
    void a_clock_that_jumps_forward_and_back_removes_nothing() throws IOException {
        Path set = kept(1, 10, DAY_MILLIS);

        for (int hour = 0; hour < 10; hour++) {
            abandoned.expire(NOW_MILLIS + (hour % 2 == 0 ? 365 * DAY_MILLIS : 0), hour * HOUR_NANOS);
        }

        assertThat(set).exists();
    }

    @Test
    void a_plan_that_begins_again_finds_its_own_set_before_that_of_another() throws IOException {
        Path own = kept(1, 10, DAY_MILLIS);
        Path newer = kept(2, 11, 0);

        abandoned.adopt(TABLE.id(), own);

        assertThat(own.resolve("nb-1-big-Data.db")).hasSize(10);
        assertThat(newer).exists();
        assertThat(abandoned.bytes()).isEqualTo(11);
    }

    @Test
    void what_an_operator_has_removed_is_not_adopted() throws IOException {
        Path older = kept(1, 10, 2);
        disk.deleteTree(kept(2, 10, 1));
        Path own = root.resolve(new UUID(5, 9).toString()).resolve(TABLE.id().toString());
        Files.createDirectories(own.resolveSibling("."));

        assertThat(abandoned.adopt(TABLE.id(), own)).hasValue(10);

        assertThat(own).isDirectory();
        assertThat(older).doesNotExist();
        assertThat(abandoned.bytes()).isZero();
    }
}
