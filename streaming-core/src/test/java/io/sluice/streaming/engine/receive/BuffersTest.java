package io.sluice.streaming.engine.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.streaming.memory.MemoryPool;
import io.sluice.streaming.plan.Operation.Priority;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class BuffersTest {
    private static final int LENGTH = 100;

    private final MemoryPool memory = new MemoryPool("receiving", 3 * LENGTH);
    private final Buffers buffers = new Buffers(memory, LENGTH, 0, ByteBuffer::allocateDirect);
    private final List<String> granted = new ArrayList<>();

    private Buffers.BufferLease seat(String name) {
        return buffers.lease(() -> Priority.REBALANCE, () -> granted.add(name));
    }

    @Test
    void sessions_for_which_there_is_no_buffer_wait_in_order() {
        Buffers.BufferLease a = seat("a");
        Buffers.BufferLease b = seat("b");
        Buffers.BufferLease c = seat("c");
        Buffers.BufferLease d = seat("d");
        Buffers.BufferLease e = seat("e");
        assertThat(granted).containsExactly("a", "b", "c");
        assertThat(buffers.waiting()).isEqualTo(2);

        b.close();
        assertThat(granted).containsExactly("a", "b", "c", "d");
        e.close(); // cancelled while it waits
        a.close();
        assertThat(granted).containsExactly("a", "b", "c", "d");
        c.close();
        d.close();
        assertThat(memory.sample().used()).isZero();
    }

    @Test
    void of_those_that_wait_the_most_urgent_is_next_as_it_is_then_and_says_how_many_are_before_it() {
        List<Buffers.BufferLease> first = List.of(seat("a"), seat("b"), seat("c"));
        AtomicReference<Priority> repair = new AtomicReference<>(Priority.REPAIR);
        Buffers.BufferLease low = buffers.lease(repair::get, () -> granted.add("repair"));
        Buffers.BufferLease middle = seat("d");
        Buffers.BufferLease high = buffers.lease(() -> Priority.REPLACE, () -> granted.add("replace"));

        assertThat(low.why())
                .isEqualTo("memory: 3 connections are receiving, the maximum for streaming_memory; the session begins"
                        + " after 2 others, which are more urgent or came earlier (its priority: repair)");
        assertThat(high.why()).endsWith("; the session is the next (priority replace)");
        first.get(0).close();
        repair.set(Priority.REPLACE);
        assertThat(middle.why()).contains("after 1 other,");
        first.get(1).close();
        first.get(2).close();

        assertThat(granted).containsExactly("a", "b", "c", "replace", "repair", "d");
    }

    @Test
    void a_session_has_its_own_buffer_however_many_others_use_what_is_left() throws Exception {
        Buffers.BufferLease greedy = seat("greedy");
        Buffers.BufferLease modest = seat("modest");
        ByteBuffer first = greedy.take();
        ByteBuffer second = greedy.take();
        CompletableFuture<ByteBuffer> third = CompletableFuture.supplyAsync(() -> {
            try {
                return greedy.take();
            } catch (InterruptedIOException e) {
                throw new IllegalStateException(e);
            }
        });

        ByteBuffer own = modest.take();
        assertThat(third).isNotDone();
        greedy.release(second);
        assertThat(third.get(10, TimeUnit.SECONDS)).isSameAs(second);
        modest.release(own);
        modest.close();
        greedy.release(second);
        greedy.release(first);
        greedy.close();
        assertThat(memory.sample().used()).isZero();
    }

    @Test
    void a_connection_that_waits_when_its_session_ends_is_told() throws Exception {
        Buffers.BufferLease seat = seat("a");
        List<ByteBuffer> all = List.of(seat.take(), seat.take(), seat.take());
        CompletableFuture<Throwable> fourth = CompletableFuture.supplyAsync(() -> {
            try {
                seat.take();
                return new AssertionError("there are three");
            } catch (InterruptedIOException e) {
                return e;
            }
        });

        seat.close();

        assertThat(fourth.get(10, TimeUnit.SECONDS)).hasMessage("the session is over");
        assertThat(memory.sample().used()).as("until they come back").isEqualTo(3 * LENGTH);
        all.forEach(seat::release);
        assertThat(memory.sample().used()).isZero();
    }

    @Test
    void room_for_a_buffer_that_the_machine_does_not_have_is_given_back() throws Exception {
        AtomicBoolean isOut = new AtomicBoolean();
        Buffers scarce = new Buffers(memory, LENGTH, 0, length -> {
            if (isOut.get()) {
                throw new OutOfMemoryError("Cannot reserve direct buffer memory");
            }
            return ByteBuffer.allocate(length);
        });
        Buffers.BufferLease seat = scarce.lease(() -> Priority.REBALANCE, () -> granted.add("a"));
        ByteBuffer first = seat.take();
        isOut.set(true);
        assertThatThrownBy(seat::take).isInstanceOf(OutOfMemoryError.class);
        assertThat(memory.sample().used()).isEqualTo(LENGTH);

        isOut.set(false);
        ByteBuffer second = seat.take();
        seat.release(second);
        seat.release(first);
        seat.close();

        assertThat(memory.sample().used()).isZero();
    }

    @Test
    void memory_for_less_than_one_connection_is_refused() {
        assertThatThrownBy(() -> new Buffers(memory, 3 * LENGTH, 1, ByteBuffer::allocateDirect))
                .hasMessageContaining("raise streaming_memory");
    }
}
