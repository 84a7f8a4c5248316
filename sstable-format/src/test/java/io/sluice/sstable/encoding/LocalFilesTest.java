package io.sluice.sstable.encoding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalFilesTest {
    @TempDir
    Path temp;

    private final LocalFiles files = new LocalFiles();

    /** One in which a path is no file of the system. */
    private FileSystem archive() throws IOException {
        return FileSystems.newFileSystem(
                URI.create("jar:" + temp.resolve("a.zip").toUri()), Map.of("create", "true"));
    }

    private void knowsLengths(Path folder) throws IOException {
        Path some = Files.write(folder.resolve("some"), new byte[3]);
        Path none = Files.createFile(folder.resolve("none"));

        assertThat(files.length(some)).hasValue(3);
        assertThat(files.length(none)).as("an empty file is there").hasValue(0);
        assertThat(files.length(folder.resolve("other"))).isEmpty();
    }

    @Test
    void knows_the_length_of_a_file_and_whether_it_is_there() throws IOException {
        knowsLengths(temp);
        try (FileSystem archive = archive()) {
            knowsLengths(archive.getPath("/"));
        }
    }

    @Test
    void follows_a_link_to_a_file_and_finds_nothing_behind_a_dangling_one() throws IOException {
        Path some = Files.write(temp.resolve("some"), new byte[3]);
        Path link = Files.createSymbolicLink(temp.resolve("link"), some);

        assertThat(files.length(link)).hasValue(3);
        Files.delete(some);
        assertThat(files.length(link)).isEmpty();
        files.delete(link);
        assertThat(Files.isSymbolicLink(link)).isFalse();
    }

    @Test
    void lists_what_is_in_a_directory_and_refuses_what_is_none() throws IOException {
        Path folder = Files.createDirectory(temp.resolve("folder"));
        Path file = Files.createFile(folder.resolve("file"));
        Path link = Files.createSymbolicLink(temp.resolve("link"), folder);

        assertThat(files.list(folder)).containsExactly(file);
        assertThat(files.list(temp.resolve("missing"))).isEmpty();
        for (Path none : List.of(file, link)) {
            assertThatThrownBy(() -> files.list(none))
                    .isInstanceOf(IOException.class)
                    .hasMessage(none + ": a file or a symbolic link (expected: a directory)");
        }
    }

    @Test
    void a_disk_that_fails_while_it_is_listed_is_an_error_of_a_disk() {
        IOException failure = new IOException("Input/output error");
        Stream<Path> entries = Stream.of(temp).peek(entry -> {
            throw new UncheckedIOException(failure);
        });

        assertThatThrownBy(() -> LocalFiles.sorted(entries)).isSameAs(failure);
    }

    @Test
    void lists_the_tree_below_a_directory_with_itself() throws IOException {
        Path folder = Files.createDirectory(temp.resolve("folder"));
        Path file = Files.createFile(folder.resolve("file"));

        assertThat(LocalFiles.tree(temp)).containsExactly(temp, folder, file);
        assertThat(LocalFiles.entries(temp)).containsExactly(folder);
        assertThatThrownBy(() -> LocalFiles.entries(temp.resolve("missing"))).isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void removes_a_link_and_not_what_is_behind_it() throws IOException {
        Path file =
                Files.createFile(Files.createDirectory(temp.resolve("folder")).resolve("file"));
        Path tree = Files.createDirectory(temp.resolve("tree"));
        Path link = Files.createSymbolicLink(tree.resolve("link"), file.getParent());

        files.deleteTree(link);
        Files.createSymbolicLink(link, file.getParent());
        files.deleteTree(tree);

        assertThat(tree).doesNotExist();
        assertThat(file).exists();
    }

    @Test
    void two_threads_remove_one_tree() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            for (int round = 0; round < 3_000; round++) {
                Path tree = Files.createDirectory(temp.resolve("tree"));
                Path inner = Files.createDirectory(tree.resolve("inner"));
                Files.createFile(inner.resolve("file"));
                CyclicBarrier start = new CyclicBarrier(2);
                Future<Void> outer = threads.submit(() -> removes(tree, start));
                Future<Void> part = threads.submit(() -> removes(inner, start));

                outer.get();
                part.get();
                assertThat(tree).doesNotExist();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private @Nullable Void removes(Path tree, CyclicBarrier start) throws Exception {
        start.await();
        files.deleteTree(tree);
        return null;
    }

    private void deletes(Path folder) throws IOException {
        Path full = Files.createDirectory(folder.resolve("full"));
        Path file = Files.createFile(full.resolve("file"));

        assertThatThrownBy(() -> files.delete(full))
                .as("says why")
                .isInstanceOf(DirectoryNotEmptyException.class)
                .hasMessageContaining("full");
        files.delete(file);
        files.delete(full);
        files.delete(full); // what is not there is gone

        assertThat(Files.exists(full)).isFalse();
    }

    @Test
    void deletes_files_and_empty_folders_and_no_full_ones() throws IOException {
        deletes(temp);
        try (FileSystem archive = archive()) {
            deletes(archive.getPath("/"));
        }
    }
}
