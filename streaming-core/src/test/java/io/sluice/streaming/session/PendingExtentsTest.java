package io.sluice.streaming.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.component.Component;
import io.sluice.streaming.message.ComponentManifest;
import io.sluice.streaming.message.Extent;
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
        unfetched.add(0, file);

        assertThat(unfetched.peek()).contains(extent);
        unfetched.remove();
        assertThat(unfetched.peek()).isEmpty();
    }
}
