package io.sluice.cassandra.wire;

import java.util.Optional;

/** The first byte of a message. */
enum MessageType {
    PREPARE_SYN(1, StreamMessage.PrepareSyn.class),
    STREAM(2, FileHeader.class),
    RECEIVED(3, StreamMessage.Received.class),
    COMPLETE(5, StreamMessage.Complete.class),
    SESSION_FAILED(6, StreamMessage.SessionFailed.class),
    KEEP_ALIVE(7, StreamMessage.KeepAlive.class),
    PREPARE_SYNACK(8, StreamMessage.PrepareSynAck.class),
    PREPARE_ACK(9, StreamMessage.PrepareAck.class),
    STREAM_INIT(10, StreamMessage.StreamInit.class);

    private final int number;
    private final Class<? extends StreamMessage> kind;

    MessageType(int number, Class<? extends StreamMessage> kind) {
        this.number = number;
        this.kind = kind;
    }

    int number() {
        return number;
    }

    static MessageType of(StreamMessage message) {
        for (MessageType type : values()) {
            if (type.kind.isInstance(message)) {
                return type;
            }
        }
        throw new AssertionError("no type for " + message);
    }

    static Optional<MessageType> of(int number) {
        for (MessageType type : values()) {
            if (type.number == number) {
                return Optional.of(type);
            }
        }
        return Optional.empty();
    }
}
