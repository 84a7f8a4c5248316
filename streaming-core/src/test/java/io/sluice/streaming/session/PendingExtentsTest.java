package io.sluice.streaming.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.component.Component;
import io.sluice.streaming.message.ComponentManifest;
import io.sluice.streaming.message.Extent;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is still to be asked for. */
class PendingExtentsTest {
    @Test
    void a_damaged_file_that_was_here_from_the_start_is_asked_for_once() {
        FileExtents file = new FileExtents(new ComponentManifest(Component.DATA, 10, 1), 16);
        Extent extent = new Extent(0, Component.DATA, 0, 10);
        PendingExtents unfetched = new PendingExtents();
        file.land(extent, 2);
        unfetched.add(0, file); // all of it is held, and wrong

        file.forget(0);
        unfetched.addAgain(0, file);

        assertThat(unfetched.peek(0)).contains(extent);
        unfetched.remove(0);
        assertThat(unfetched.peek(0)).isEmpty();
    }

    @Test
    void each_connection_takes_from_a_file_of_its_own_until_none_is_left() {
        PendingExtents pending = files(3);

        assertThat(taken(pending, 0, 1, 0, 1, 1, 0))
                .containsExactly(first(0), first(1), second(0), second(1), first(2), second(2));
        assertThat(pending.peek(0)).isEmpty();
        assertThat(pending.peek(1)).isEmpty();
    }

    @Test
    void one_connection_takes_files_in_order() {
        assertThat(taken(files(2), 0, 0, 0, 0)).containsExactly(first(0), second(0), first(1), second(1));
    }

    @Test
    void the_file_of_a_lost_connection_is_the_next_one_of_another() {
        PendingExtents pending = files(3);
        assertThat(taken(pending, 0, 1)).containsExactly(first(0), first(1));

        pending.release(0);
        pending.addFirst(first(0)); // in flight when the connection was lost

        assertThat(taken(pending, 1, 1, 1, 1, 1)).containsExactly(first(0), second(1), second(0), first(2), second(2));
    }

    @Test
    void a_file_of_which_a_connection_takes_is_forgotten_with_its_table() {
        PendingExtents pending = files(2);
        assertThat(taken(pending, 0)).containsExactly(first(0));

        pending.removeIf(offer -> offer == 0);

        assertThat(taken(pending, 0)).containsExactly(first(1));
    }

    /** Files of two extents each, one an offer. */
    private static PendingExtents files(int offers) {
        PendingExtents pending = new PendingExtents();
        for (int offer = 0; offer < offers; offer++) {
            pending.add(offer, new FileExtents(new ComponentManifest(Component.DATA, 32, 1), 16));
        }
        return pending;
    }

    private static Extent first(int offer) {
        return new Extent(offer, Component.DATA, 0, 16);
    }

    private static Extent second(int offer) {
        return new Extent(offer, Component.DATA, 16, 16);
    }

    /** What these connections take, one after the other. */
    private static List<Extent> taken(PendingExtents pending, int... connections) {
        List<Extent> taken = new ArrayList<>();
        for (int connection : connections) {
            taken.add(pending.peek(connection).orElseThrow());
            pending.remove(connection);
        }
        return taken;
    }
}
