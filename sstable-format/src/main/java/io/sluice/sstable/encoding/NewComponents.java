package io.sluice.sstable.encoding;

import io.sluice.sstable.component.Component;
import java.io.IOException;

/** Creates the files of a new SSTable, none of which may exist. */
@FunctionalInterface
public interface NewComponents {
    /** Creates the empty file of one component; closed by the caller. */
    ComponentOutput create(Component component) throws IOException;

    /** Creates the file of one component with this content, not synced. */
    default void write(Component component, Bytes content) throws IOException {
        try (ComponentOutput out = create(component)) {
            out.put(content.asBuffer());
            out.finish();
        }
    }
}
