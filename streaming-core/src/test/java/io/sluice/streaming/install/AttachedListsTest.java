package io.sluice.streaming.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.sstable.component.AttachedFile;
import io.sluice.sstable.component.Descriptor;
import io.sluice.streaming.ErrorCode;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.message.AttachedFiles;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What a set remembers of files beside its SSTables has a bound. */
class AttachedListsTest {
    private static final Descriptor FIRST =
            Descriptor.ofFile("nb-1-big-Data.db").orElseThrow();
    private static final Descriptor SECOND =
            Descriptor.ofFile("nb-2-big-Data.db").orElseThrow();
    private static final AttachedFile SCYLLA = new AttachedFile("Scylla.db");
    private static final AttachedFiles BESIDE =
            new AttachedFiles(List.of(new AttachedFiles.Entry(SCYLLA, 5, 5)), new TreeSet<>(List.of("by_age")));

    @Test
    void more_than_a_set_may_have_is_refused_until_some_are_dropped() {
        AttachedLists lists = new AttachedLists(2 * BESIDE.headerBytes() - 1);
        lists.put(FIRST, BESIDE);
        lists.put(FIRST, BESIDE);

        assertThatThrownBy(() -> lists.put(SECOND, BESIDE))
                .isInstanceOfSatisfying(
                        StreamException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.LIMIT))
                .hasMessage("lists of the files beside the SSTables of one table: " + 2 * BESIDE.headerBytes()
                        + " bytes (expected: at most " + (2 * BESIDE.headerBytes() - 1)
                        + "; stream fewer ranges at once)");
        assertThat(lists.files(SECOND)).isEmpty();

        lists.retain(Set.of());
        lists.put(SECOND, BESIDE);

        assertThat(lists.files(FIRST)).isEmpty();
        assertThat(lists.files(SECOND)).containsExactly(SCYLLA);
        assertThat(lists.indexes(List.of(FIRST))).isEmpty();
        assertThat(lists.indexes(List.of(FIRST, SECOND))).containsExactly("by_age");
    }

    @Test
    void an_sstable_with_nothing_beside_it_costs_nothing() {
        AttachedLists lists = new AttachedLists(0);

        lists.put(FIRST, new AttachedFiles(List.of(), new TreeSet<>()));

        assertThat(lists.files(FIRST)).isEmpty();
    }
}
