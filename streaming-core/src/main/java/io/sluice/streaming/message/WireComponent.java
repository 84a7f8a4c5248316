package io.sluice.streaming.message;

import io.sluice.sstable.component.Component;
import java.util.Arrays;
import java.util.List;

/** The numbers of components on the wire: fixed forever, independent of the enum. */
final class WireComponent {
    private static final List<Component> STREAMED =
            Arrays.stream(Component.values()).filter(Component::isStreamed).toList();

    private WireComponent() {}

    static int code(Component component) {
        return switch (component) {
            case STATISTICS -> 1;
            case COMPRESSION_INFO -> 2;
            case CRC -> 3;
            case DIGEST -> 4;
            case FILTER -> 5;
            case SUMMARY -> 6;
            case INDEX -> 7;
            case PARTITIONS -> 8;
            case ROWS -> 9;
            case DATA -> 10;
            case PART -> 11;
            case ATTACHED -> 12;
            case TOC -> throw new IllegalArgumentException("TOC.txt is not streamed");
        };
    }

    /**
     * The component with that number.
     *
     * @throws IllegalArgumentException for an unknown number
     */
    static Component of(int code) {
        for (Component component : STREAMED) {
            if (code(component) == code) {
                return component;
            }
        }
        throw new IllegalArgumentException("component number " + code + " (expected: 1 to " + STREAMED.size() + ")");
    }
}
