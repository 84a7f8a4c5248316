package io.sluice.streaming.install;

import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.component.Component;
import io.sluice.sstable.component.Descriptor;
import io.sluice.sstable.component.SSTableId;
import io.sluice.sstable.token.TokenRanges;
import io.sluice.streaming.StreamException;
import io.sluice.streaming.message.SSTableOffer;
import io.sluice.streaming.store.PinnedTable;
import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;

/** One table; remembers what went live. */
public final class RecordingStore implements TableStore {
    final TableRef table;
    final Path root;
    final List<UUID> wentLive = new ArrayList<>();
    final List<String> failedDisks = new ArrayList<>();
    boolean failGoLive;
    boolean buildsIndexes;
    /** Those that it was to build. */
    final Set<String> builtIndexes = new TreeSet<>();

    /** Folders of further volumes. */
    List<Path> others = List.of();
    /** What the first volume should hold. */
    TokenRanges firstTokens = TokenRanges.NONE;

    boolean knowsTable = true;
    boolean isDropped;
    /** Of this method each call throws. */
    Optional<String> failing = Optional.empty();
    /** Why it cannot name the live folder on a volume. */
    Optional<IOException> unknownFolder = Optional.empty();
    /** What it throws, always the same object, when it is asked for the live folder. */
    Optional<StreamException> refusal = Optional.empty();

    /** Why it gives no permit. */
    Optional<StreamException> noPermit = Optional.empty();

    /** What somebody else makes directly before the commit. */
    Optional<Path> appearing = Optional.empty();

    private int lastId = 500;

    public RecordingStore(Path root, TableRef table) throws IOException {
        this.root = root;
        this.table = table;
        Files.createDirectories(liveDirectory(table));
    }

    /** The SSTables that a restarted database finds: those with a TOC, which is linked last. */
    List<Descriptor> live() throws IOException {
        return new TableDirectory(liveDirectory(table), table.keyspace(), table.name(), table.id())
                .descriptors().stream()
                        .filter(sstable -> Files.exists(liveDirectory(table).resolve(sstable.fileName(Component.TOC))))
                        .toList();
    }

    private void called(String method) {
        if (failing.filter(method::equals).isPresent()) {
            throw new AssertionError("a defect of the database in " + method);
        }
    }

    @Override
    public List<TableRef> knownTables() {
        called("knownTables");
        return List.of(table);
    }

    @Override
    public Optional<TableRef> table(UUID tableId) {
        called("table");
        return knowsTable && tableId.equals(table.id()) ? Optional.of(table) : Optional.empty();
    }

    @Override
    public boolean isDropped(UUID tableId) {
        called("isDropped");
        return isDropped;
    }

    @Override
    public PinnedTable pin(UUID planId, TableRef wanted, TokenRanges ranges) throws IOException {
        throw new IOException("nothing is sent from here");
    }

    @Override
    public Path liveDirectory(TableRef wanted) {
        called("liveDirectory");
        refusal.ifPresent(same -> {
            throw same;
        });
        return root.resolve("live");
    }

    @Override
    public Path liveDirectory(TableRef wanted, Volume volume) throws IOException {
        if (unknownFolder.isPresent()) {
            throw unknownFolder.get();
        }
        return others.isEmpty()
                ? liveDirectory(wanted)
                : Files.createDirectories(volume.stagingDirectory().resolveSibling("live"));
    }

    @Override
    public List<Volume> volumes() {
        return Stream.concat(
                        Stream.of(new Volume(stagingDirectory(), firstTokens)),
                        others.stream().map(folder -> new Volume(folder.resolve("staging"))))
                .toList();
    }

    @Override
    public Path stagingDirectory() {
        return root.resolve("staging");
    }

    @Override
    public void diskFailed(Path stagingDirectory, String why) {
        failedDisks.add(why);
    }

    @Override
    public String newId(TableRef wanted) {
        return String.valueOf(++lastId);
    }

    /** Where an offer lands: under a new id. */
    Descriptor newDescriptor(SSTableOffer offer) {
        return new Descriptor(offer.source().version(), new SSTableId.Sequence(++lastId));
    }

    @Override
    public Permit permit(UUID planId, UUID installId, TableRef wanted) {
        noPermit.ifPresent(why -> {
            throw why;
        });
        return new Permit() {
            @Override
            public void release() {}

            @Override
            public boolean isRevoked() {
                appearing.ifPresent(file -> write(file, new byte[] {1, 2, 3}));
                return false;
            }
        };
    }

    private static void write(Path file, byte[] content) {
        try {
            Files.write(file, content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void activate(UUID installId, TableRef wanted, List<Path> dataFiles) throws IOException {
        called("activate");
        if (failGoLive) {
            throw new IOException("injected: the database does not answer");
        }
        wentLive.add(installId);
    }

    @Override
    public boolean buildsIndexes() {
        return buildsIndexes;
    }

    @Override
    public void activate(UUID installId, TableRef wanted, List<Path> dataFiles, Set<String> indexes)
            throws IOException {
        builtIndexes.addAll(indexes);
        activate(installId, wanted, dataFiles);
    }

    @Override
    public void activated(UUID installId, TableRef wanted) {
        called("activated");
    }
}
