package io.sluice.bench.mutation;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;

/** What travels, one way or the other. The payload has an array of its own. */
record Frame(Kind kind, ByteBuffer payload) {
    static final int MAX_PAYLOAD_BYTES = 64 << 20;
    static final int HEADER_BYTES = 2 * Integer.BYTES + 1;

    /** What a frame is. */
    enum Kind {
        OPENING(0),
        FRAGMENTS(1),
        PARTITION(2),
        END(3),
        CONSUMED(4),
        APPLIED(5),
        DONE(6),
        FAILED(7);

        private final int number;

        Kind(int number) {
            this.number = number;
        }

        /** The number on the wire. */
        int number() {
            return number;
        }

        static Optional<Kind> ofNumber(int number) {
            return Arrays.stream(values()).filter(kind -> kind.number == number).findAny();
        }
    }
}
