package io.sluice.cassandra.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.tools.JavaCommand;
import io.sluice.tools.StartedProcess;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who may receive into a folder. */
class ReceiveDirectoryTest {
    @TempDir
    private Path work = Path.of("");

    private Path target() {
        return work.resolve("shop").resolve("users");
    }

    @Test
    void is_not_taken_from_whoever_uses_it() throws Exception {
        try (ReceiveDirectory first = ReceiveDirectory.at(target())) {
            Path received =
                    Files.createFile(target().resolveSibling(".users.partial").resolve("nb-1-big-Data.db"));

            assertThatThrownBy(() -> ReceiveDirectory.at(target()))
                    .isInstanceOf(FileSystemException.class)
                    .hasMessageContaining("users: in use by another command (wait for its end");

            assertThat(received).exists();
            first.install();
        }
        assertThat(target().resolve("nb-1-big-Data.db")).exists();
        assertThatThrownBy(() -> ReceiveDirectory.at(target())).isInstanceOf(FileAlreadyExistsException.class);
        assertNothingElseThan("users");
    }

    @Test
    void who_is_refused_it_in_this_process_takes_it_from_nobody() throws Exception {
        try (ReceiveDirectory first = ReceiveDirectory.at(target())) {
            assertThatThrownBy(() -> ReceiveDirectory.at(target())).hasMessageContaining("in use by another command");

            List<String> other = JavaCommand.words(List.of(), ReceivingProcess.class.getName(), target());
            assertThat(StartedProcess.run(other)).contains(ReceivingProcess.REFUSED);

            first.install();
        }
        assertNothingElseThan("users");
    }

    @Test
    void is_there_although_its_lock_cannot_be_removed() throws Exception {
        try (ReceiveDirectory landing = ReceiveDirectory.at(target())) {
            landing.install();
            Path lock = target().resolveSibling(".users.lock");
            Files.delete(lock);
            Files.createDirectories(lock.resolve("not empty"));
        }
        assertThat(target()).isDirectory();
    }

    @Test
    void is_for_the_next_one_when_it_is_closed() throws Exception {
        for (int i = 0; i < 3; i++) {
            ReceiveDirectory.at(target()).close();
            assertNothingElseThan();
        }
    }

    @Test
    void is_not_given_back_twice() throws Exception {
        FolderLock first = FolderLock.beside(target());
        first.close();
        FolderLock second = FolderLock.beside(target());

        first.close();

        assertNothingElseThan(".users.lock");
        second.close();
        assertNothingElseThan();
    }

    private void assertNothingElseThan(String... names) throws IOException {
        try (Stream<Path> all = Files.list(work.resolve("shop"))) {
            assertThat(all.map(Path::getFileName)).map(String::valueOf).containsExactly(names);
        }
    }
}
