package io.sluice.streaming.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.index.RangeSection;
import io.sluice.sstable.index.Section;
import io.sluice.sstable.token.TokenRange;
import io.sluice.streaming.progress.TransferMode;
import io.sluice.streaming.transfer.ModeChooser.Decision;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ModeChooserTest {
    private static final long GIB = 1L << 30;
    private static final ModeSettings NO_SLICES = new ModeSettings(true, false);
    private static final ModeSettings NO_FILES = new ModeSettings(false, true);

    /** Of {@code dataLength} bytes of rows, LZ4 to a half. */
    private static RequestedSections wanted(long dataLength, Section... sections) {
        List<RangeSection> stretches = LongStream.range(0, sections.length)
                .mapToObj(i -> new RangeSection(TokenRange.of(10 * i, 10 * i + 5), sections[(int) i]))
                .toList();
        return new RequestedSections(dataLength / 2, dataLength, Optional.of(1 << 14), stretches);
    }

    private static Section[] sections(int count, long length) {
        return LongStream.range(0, count)
                .mapToObj(i -> new Section(2 * i * length, 2 * i * length + length))
                .toArray(Section[]::new);
    }

    private static Decision decide(RequestedSections wanted, ModeSettings settings) {
        return ModeChooser.decide(wanted, settings, Optional.empty());
    }

    private static void assertMode(Decision decision, TransferMode mode, String reason) {
        assertThat(decision.choice().mode()).isEqualTo(mode);
        assertThat(decision.choice().reason()).contains(reason);
    }

    @Test
    void nothing_travels_where_nothing_is_wanted() {
        assertThat(decide(wanted(GIB), ModeSettings.DEFAULTS)).isEqualTo(new Decision.Nothing());
    }

    @Test
    void an_sstable_of_which_all_is_wanted_travels_whole_unless_that_is_switched_off() {
        RequestedSections all = wanted(GIB, new Section(0, GIB));

        assertMode(decide(all, ModeSettings.DEFAULTS), TransferMode.WHOLE, "all of its partitions are requested");
        assertMode(decide(all, NO_SLICES), TransferMode.WHOLE, "all of its partitions are requested");
        assertMode(decide(all, NO_FILES), TransferMode.ROWS, "stream_entire_sstables is false");
    }

    @Test
    void a_database_may_insist_on_rows() {
        RequestedSections all = wanted(GIB, new Section(0, GIB));

        Decision decision = ModeChooser.decide(all, ModeSettings.DEFAULTS, Optional.of("it has a view"));

        assertMode(decision, TransferMode.ROWS, "it has a view");
    }

    @Test
    void parts_travel_as_one_slice_unless_that_is_switched_off_or_impossible() {
        RequestedSections part = wanted(GIB, sections(16, GIB / 64));

        Decision decision = decide(part, ModeSettings.DEFAULTS);
        assertMode(
                decision,
                TransferMode.SLICE,
                "25.0 % of it, in 16 sections, is requested: about 208.0 ms of CPU as a slice, 891.6 ms as rows");
        assertThat(((Decision.Slices) decision).groups()).hasSize(1).allMatch(group -> group.size() == 16);
        assertMode(decide(part, NO_SLICES), TransferMode.ROWS, "stream_slices is false");
    }

    @Test
    void a_few_rows_travel_as_a_slice_too() {
        Decision decision = decide(wanted(GIB, sections(3, 5_000)), ModeSettings.DEFAULTS);

        assertMode(decision, TransferMode.SLICE, "0.0 % of it, in 3 sections, is requested: about ");
    }

    @Test
    void long_slices_are_made_side_by_side() {
        RequestedSections part = wanted(100 * GIB, sections(40, GIB));

        List<List<RangeSection>> groups = ((Decision.Slices) decide(part, ModeSettings.DEFAULTS)).groups();

        assertThat(groups).hasSize(40);
        assertThat(groups.stream().flatMap(List::stream)).containsExactlyElementsOf(part.rangeSections());
    }

    @Test
    void what_is_chosen_costs_no_more_than_what_else_is_correct() {
        for (long count : List.of(1L, 4L, 64L, 1024L)) {
            for (long length = 64; length < GIB; length *= 8) {
                RequestedSections part = wanted(4 * count * length, sections((int) count, length));
                Decision chosen = decide(part, ModeSettings.DEFAULTS);
                Decision rows = decide(part, NO_SLICES);

                assertThat(ModeChooser.estimateNanos(part, chosen))
                        .isLessThanOrEqualTo(ModeChooser.estimateNanos(part, rows));
            }
        }
    }
}
