package io.sluice.harness.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AdminTokenTest {
    @TempDir
    private Path folder = Path.of("");

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void only_its_owner_may_read_it_and_nothing_else_is_left_in_the_folder() throws IOException {
        Path work = folder.resolve("work");
        Path file = work.resolve("admin.token");

        AdminToken made = AdminToken.readOrCreate(file);

        assertThat(mode(file)).isEqualTo("rw-------");
        assertThat(mode(work)).isEqualTo("rwx------");
        assertThat(AdminToken.read(file)).isEqualTo(made);
        try (Stream<Path> files = Files.list(work)) {
            assertThat(files).containsExactly(file);
        }
    }

    @Test
    void nodes_that_start_at_once_have_the_same() {
        Path file = folder.resolve("admin.token");

        Set<AdminToken> made = IntStream.range(0, 50)
                .parallel()
                .mapToObj(n -> {
                    try {
                        return AdminToken.readOrCreate(file);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                })
                .collect(Collectors.toSet());

        assertThat(made).hasSize(1);
    }

    @Test
    void a_new_run_has_a_new_one() throws IOException {
        Path file = folder.resolve("admin.token");
        AdminToken first = AdminToken.create(file);

        AdminToken second = AdminToken.create(file);

        assertThat(second).isNotEqualTo(first);
        assertThat(AdminToken.read(file)).isEqualTo(second);
    }

    @Test
    void a_file_that_others_may_read_is_refused_and_its_content_not_told() throws IOException {
        Path file = folder.resolve("admin.token");
        AdminToken token = AdminToken.create(file);
        for (String mode : List.of("rw-r-----", "rw----r--", "rw--w----")) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));

            assertThatThrownBy(() -> AdminToken.read(file))
                    .hasMessageContaining("others may read it")
                    .hasMessageNotContaining(token.text());
            assertThatThrownBy(() -> AdminToken.readOrCreate(file)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void a_link_is_not_followed() throws IOException {
        Path real = folder.resolve("real");
        AdminToken.create(real);
        Path link = Files.createSymbolicLink(folder.resolve("admin.token"), real);

        assertThatThrownBy(() -> AdminToken.read(link)).isInstanceOf(IOException.class);
    }

    @Test
    void what_is_in_the_file_is_checked_and_not_told() throws IOException {
        Path file = folder.resolve("admin.token");
        AdminToken.create(file);
        Files.writeString(file, "correct horse battery staple");

        assertThatThrownBy(() -> AdminToken.read(file))
                .hasMessageContaining("64 hexadecimal digits")
                .hasMessageNotContaining("horse");
    }

    @Test
    void it_does_not_say_itself() {
        AdminToken token = new AdminToken("ab".repeat(32));

        assertThat(token.toString()).doesNotContain("ab");
        assertThat(token.is("ab".repeat(32))).isTrue();
        assertThat(token.is("ab".repeat(31))).isFalse();
        assertThat(token.is("")).isFalse();
    }
}
