package io.sluice.streaming.engine.receive;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.plan.Operation.Priority;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class SourceSlotsTest {
    private static final UUID SOURCE = new UUID(0, 1);
    private static final UUID OTHER = new UUID(0, 2);

    private final SourceSlots slots = new SourceSlots(1);
    private final List<String> granted = new ArrayList<>();

    private SourceSlots.Slot enter(UUID source, String name, Supplier<Priority> priority) {
        return slots.enter(source, priority, () -> granted.add(name));
    }

    @Test
    void sessions_of_equal_priority_begin_as_they_came() {
        SourceSlots.Slot first = enter(SOURCE, "first", () -> Priority.REPAIR);
        SourceSlots.Slot second = enter(SOURCE, "second", () -> Priority.REPAIR);
        enter(SOURCE, "third", () -> Priority.REPAIR);
        enter(OTHER, "of another source", () -> Priority.REPAIR);

        first.close();
        first.close(); // has no further effect
        second.close();

        assertThat(granted).containsExactly("first", "of another source", "second", "third");
    }

    @Test
    void the_most_urgent_is_next_as_it_is_when_a_slot_is_free() {
        AtomicReference<Priority> changed = new AtomicReference<>(Priority.REPAIR);
        SourceSlots.Slot running = enter(SOURCE, "running", () -> Priority.REPAIR);
        SourceSlots.Slot waiting = enter(SOURCE, "repair", changed::get);
        SourceSlots.Slot rebuild = enter(SOURCE, "rebuild", () -> Priority.REBUILD);
        SourceSlots.Slot cancelled = enter(SOURCE, "cancelled", () -> Priority.REPLACE);
        assertThat(waiting.why())
                .isEqualTo(
                        "1 session is fetching from this source, the maximum (streaming_sessions_per_peer); the"
                                + " session begins after 2 others, which are more urgent or came earlier (its priority: repair)");

        cancelled.close();
        changed.set(Priority.REPLACE);
        assertThat(waiting.why()).endsWith("the session is the next (priority replace)");
        running.close();
        waiting.close();

        assertThat(granted).containsExactly("running", "repair", "rebuild");
        assertThat(rebuild.isGranted()).isTrue();
    }
}
