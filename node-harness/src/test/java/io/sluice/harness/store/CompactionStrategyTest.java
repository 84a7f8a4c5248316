package io.sluice.harness.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.harness.store.CompactionStrategy.Candidate;
import io.sluice.harness.store.CompactionStrategy.Task;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.token.Token;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CompactionStrategyTest {
    private static final long MIB = 1 << 20;
    private int lastId;

    private Candidate candidate(long bytes, int level, long first, long last) {
        lastId++;
        var descriptor = new Descriptor(Version.NB, new SSTableId.Sequence(lastId));
        return new Candidate(descriptor, bytes, level, new Token(first), new Token(last));
    }

    @Test
    void four_of_about_one_size_become_one() {
        List<Candidate> live = new ArrayList<>();
        for (long mib : List.of(10, 11, 12, 13, 100)) {
            live.add(candidate(mib * MIB, 0, 0, 10));
        }

        Task task = new SizeTiered().next(live).orElseThrow();

        assertThat(task.inputs()).containsExactlyElementsOf(live.subList(0, 4));
    }

    @Test
    void different_sizes_stay_apart() {
        List<Candidate> live = new ArrayList<>();
        for (long mib : List.of(1, 10, 100, 1000)) {
            live.add(candidate(mib * MIB, 0, 0, 10));
        }

        assertThat(new SizeTiered().next(live)).isEmpty();
    }

    @Test
    void level_0_goes_up_with_what_it_overlaps() {
        Candidate touched = candidate(10 * MIB, 1, 5, 20);
        Candidate apart = candidate(10 * MIB, 1, 21, 30);
        List<Candidate> live = new ArrayList<>(List.of(touched, apart));
        for (int i = 0; i < 4; i++) {
            live.add(candidate(MIB, 0, 0, 10));
        }

        Task task = new Leveled(10 * MIB).next(live).orElseThrow();

        assertThat(task.level()).isEqualTo(1);
        assertThat(task.inputs()).hasSize(5).contains(touched).doesNotContain(apart);
    }

    @Test
    void a_level_that_is_too_large_gives_its_oldest_up() {
        List<Candidate> live = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            live.add(candidate(10 * MIB, 1, i * 10L, i * 10L + 9));
        }
        Candidate below = candidate(10 * MIB, 2, 3, 4);
        live.add(below);

        Task task = new Leveled(10 * MIB).next(live).orElseThrow();

        assertThat(task.level()).isEqualTo(2);
        assertThat(task.inputs()).containsExactlyInAnyOrder(live.get(0), below);
    }

    @Test
    void received_sstables_that_overlap_their_level_are_taken_as_level_0() {
        List<Candidate> live = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            live.add(candidate(MIB, 3, 0, 100));
        }

        Task task = new Leveled(10 * MIB).next(live).orElseThrow();

        assertThat(task.level()).isEqualTo(1);
        assertThat(task.inputs()).hasSize(4);
    }
}
