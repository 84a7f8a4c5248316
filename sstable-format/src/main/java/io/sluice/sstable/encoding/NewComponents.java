package io.sluice.sstable.encoding;

import io.sluice.sstable.component.Component;
import java.io.IOException;

/** Makes the files of an SSTable that is being written, each of which must not exist. */
@FunctionalInterface
public interface NewComponents {
    /** Makes the file of one component, empty; closed by the caller. */
    ComponentOutput create(Component component) throws IOException;

    /** Makes the file of one component with this content, not synced. */
    default void write(Component component, Bytes content) throws IOException {
        try (ComponentOutput out = create(component)) {
            out.put(content.asBuffer());
            out.finish();
        }
    }
}
