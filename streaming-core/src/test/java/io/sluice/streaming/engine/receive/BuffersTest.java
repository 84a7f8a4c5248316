package io.sluice.streaming.engine.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.streaming.memory.MemoryPool;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class BuffersTest {
    private static final int LENGTH = 100;

    private final MemoryPool memory = new MemoryPool("receiving", 3 * LENGTH);
    private final Buffers buffers = new Buffers(memory, LENGTH, 0, ByteBuffer::allocateDirect);
    private final List<String> granted = new ArrayList<>();

    private Buffers.BufferLease seat(String name) {
        return buffers.lease(() -> granted.add(name));
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
        Buffers.BufferLease seat = scarce.lease(() -> granted.add("a"));
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
