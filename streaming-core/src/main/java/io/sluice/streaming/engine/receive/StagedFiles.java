package io.sluice.streaming.engine.receive;

import io.sluice.sstable.component.Component;
import io.sluice.streaming.install.DiskFile;
import io.sluice.streaming.install.SetOverException;
import io.sluice.streaming.install.StagedSet;
import io.sluice.streaming.log.LogKeys;
import io.sluice.streaming.message.Extent;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.transfer.block.DataReceiver;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files that a session writes: created with their first extent, closed when their SSTable is complete, and closed
 * temporarily if another file needs their slot. Thread-safe: several connections may write to one file.
 */
final class StagedFiles {
    private static final Logger LOG = LoggerFactory.getLogger(StagedFiles.class);

    private final Map<Integer, StagedSet.Landing> landings = new ConcurrentHashMap<>();

    // Guarded by this, as is closed.
    private final Map<Key, LandingFile> landing = new LinkedHashMap<>();

    private boolean closed;

    private final WriteBack writeBack;
    private final OpenFiles places;
    private final Map<Integer, LongConsumer> counters = new ConcurrentHashMap<>();
    private final Consumer<IOException> onError;

    /**
     * Starts without files.
     *
     * @param onError called if the disk has lost written bytes
     */
    StagedFiles(WriteBack writeBack, OpenFiles places, Consumer<IOException> onError) {
        this.writeBack = writeBack;
        this.places = places;
        this.onError = onError;
    }

    private record Key(int offer, Component component) {}

    /** @param written counts written bytes */
    void add(StagedSet.Landing landing, LongConsumer written) {
        counters.put(landing.offer().number(), written);
        landings.put(landing.offer().number(), landing);
    }

    StagedSet.Landing landing(int offer) {
        StagedSet.Landing landing = landings.get(offer);
        if (landing == null) {
            throw new IllegalStateException("no landing for offer " + offer);
        }
        return landing;
    }

    /**
     * Opens the file of an extent for writing until the caller closes the result. Bytes of a table that is live already
     * or abandoned are discarded.
     *
     * @throws IOException if the file cannot be created, or the session is over
     */
    DataReceiver.Landing enter(Extent extent) throws IOException {
        LandingFile file = file(extent);
        try {
            file.enter(); // may block: without the lock
        } catch (SetOverException tooLate) {
            return new DiscardedLanding();
        }
        return new Landing(file, () -> nameOf(extent), counters.getOrDefault(extent.offer(), bytes -> {}));
    }

    /** Discards the bytes of an extent of an abandoned table. */
    private record DiscardedLanding() implements DataReceiver.Landing {
        @Override
        public void write(ByteBuffer bytes, long position) {
            bytes.position(bytes.limit());
        }

        @Override
        public void close() {
            // it has no file
        }
    }

    /** Writes the bytes of one extent to its file. */
    private record Landing(LandingFile file, Supplier<String> name, LongConsumer written)
            implements DataReceiver.Landing {
        @Override
        public void write(ByteBuffer bytes, long position) throws IOException {
            int length = bytes.remaining();
            try {
                file.write(bytes, position);
                written.accept(length);
            } catch (IOException e) {
                throw new IOException(
                        name.get() + " at offset " + position + ": cannot be written: " + e.getMessage(), e);
            }
        }

        @Override
        public void close() {
            file.leave();
        }
    }

    private synchronized LandingFile file(Extent extent) throws IOException {
        if (closed) {
            throw new IOException("the session is over"); // a file created now would never be removed
        }
        return landing.computeIfAbsent(new Key(extent.offer(), extent.component()), this::landingFile);
    }

    private LandingFile landingFile(Key key) {
        return new LandingFile(() -> open(key), places, writeBack.debt(onError));
    }

    private String nameOf(Extent extent) {
        StagedSet.Landing landing = landing(extent.offer());
        return landing.set().table() + " " + landing.descriptor().fileName(extent.component());
    }

    private DiskFile open(Key key) throws IOException {
        StagedSet.Landing landing = landing(key.offer());
        return landing.set().open(landing.descriptor(), key.component());
    }

    /** Journals a written extent for a later attempt, unless its table is abandoned. */
    void landed(Extent extent, long crc32) throws IOException {
        StagedSet.Landing landing = landing(extent.offer());
        try {
            landing.set().landed(landing.descriptor(), extent, crc32);
        } catch (SetOverException tooLate) {
            LogKeys.current()
                    .withTable(landing.set().table())
                    .run(() -> LOG.debug(
                            "{} at offset {}: {}", extent.component(), extent.offset(), tooLate.getMessage()));
        }
    }

    /** Closes the files of one SSTable; creates empty files, which have no extent. */
    synchronized void close(SSTableOffer offer) throws IOException {
        if (closed) {
            throw new IOException("the session is over");
        }
        for (var manifest : offer.components()) {
            Key key = new Key(offer.number(), manifest.component());
            LandingFile file = landing.remove(key);
            if (file == null) {
                file = landingFile(key);
                file.enter();
            }
            close(key, file);
        }
    }

    private void close(Key key, LandingFile file) throws IOException {
        try {
            file.close();
        } catch (IOException e) {
            StagedSet.Landing landing = landing(key.offer());
            landing.set().lose(landing.descriptor(), key.component());
            throw e;
        }
    }

    /** Closes all open files when the session is over; throws the first error after trying all. */
    synchronized void closeAll() throws IOException {
        closed = true;
        List<IOException> errors = new ArrayList<>();
        for (Map.Entry<Key, LandingFile> entry : landing.entrySet()) {
            try {
                close(entry.getKey(), entry.getValue());
            } catch (IOException e) {
                errors.add(e);
            }
        }
        landing.clear();
        if (!errors.isEmpty()) {
            throw errors.get(0);
        }
    }
}
