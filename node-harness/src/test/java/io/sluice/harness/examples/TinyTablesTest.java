package io.sluice.harness.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.streaming.store.TableRef;
import io.sluice.streaming.store.TableStore;
import io.sluice.tools.JavaCommand;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The store of the tiny database, compiled from its sources. */
class TinyTablesTest {
    private static final Path SOURCES = Path.of("..", "examples", "tiny-database", "src", "main", "java", "tiny");

    private static final TableRef TABLE = new TableRef(new UUID(1, 1), "ks", "users");

    @TempDir
    private Path temp = Path.of("");

    private void compile(Path classes) throws IOException {
        List<String> arguments =
                new ArrayList<>(List.of("-cp", System.getProperty("java.class.path"), "-d", classes.toString()));
        try (Stream<Path> sources = Files.list(SOURCES)) {
            sources.map(Path::toString).forEach(arguments::add);
        }
        int result = ToolProvider.getSystemJavaCompiler()
                .run(null, System.out, System.err, arguments.toArray(String[]::new));
        assertThat(result).isZero();
    }

    private static List<String> ids(Constructor<?> database, Path home) throws Exception {
        TableStore store = (TableStore) database.newInstance(home);
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 2_500; i++) {
            ids.add(store.newId(TABLE));
        }
        return ids;
    }

    @Test
    void no_id_comes_back_after_a_quick_restart() throws Exception {
        Path classes = Files.createDirectories(temp.resolve("classes"));
        compile(classes);
        try (URLClassLoader loader = new URLClassLoader(
                new URL[] {classes.toUri().toURL()}, getClass().getClassLoader())) {
            Constructor<?> database = loader.loadClass("tiny.TinyTables").getDeclaredConstructor(Path.class);
            database.setAccessible(true);

            List<String> ids = new ArrayList<>(ids(database, temp.resolve("home")));
            ids.addAll(ids(database, temp.resolve("home")));

            assertThat(ids).doesNotHaveDuplicates().allMatch(id -> Integer.parseInt(id) > 0);
        }
    }

    /** A node that replaced another has SSTables of parts of the ring, and pins them all when the next one asks. */
    @Test
    @Tag("full")
    void replaces_one_node_and_then_another() throws Exception {
        Path classes = Files.createDirectories(temp.resolve("classes"));
        compile(classes);
        Stream<Path> classPath = Stream.concat(
                Stream.of(classes),
                Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                        .map(Path::of));
        try (TinyCluster cluster = new TinyCluster(temp, Path.of(JavaCommand.executable()), classPath, "many")) {
            assertThat(cluster.replace("tiny.TinyDatabase")).contains("replaced c");

            assertThat(cluster.replaceAnother()).contains("replaced a");
            cluster.assertReplacedAnother();
        }
    }
}
