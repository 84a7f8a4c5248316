package io.sluice.harness.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.netty.StreamingNode;
import io.sluice.sstable.component.Version;
import io.sluice.sstable.compression.CompressionParameters;
import io.sluice.sstable.compression.Compressor;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.generate.DataSet;
import io.sluice.sstable.generate.DataSetWriter;
import io.sluice.sstable.token.Token;
import io.sluice.streaming.store.TableStore;
import io.sluice.tools.FreePort;
import io.sluice.tools.JavaCommand;
import io.sluice.tools.StartedProcess;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;

/** The jar that {@code mvn package} has made of {@code embedded}, with SLF4J and nothing else beside it. */
@Tag("full")
class EmbeddedJarTest {
    private static final Path TINY_DATABASE = Path.of("..", "examples", "tiny-database", "src", "main", "java", "tiny");

    /** A database with a module of its own, whose descriptor there names another module. */
    private static final String MODULE = Path.of("..", "streaming-netty", "src", "test", "embedder")
            .resolve(Path.of("tiny", "database", "Main.java"))
            .toString();

    private static final String NAME = "io.sluice.embedded";

    @TempDir
    private static Path classes = Path.of("");

    @TempDir
    private Path temp = Path.of("");

    private static Path embedded() throws IOException {
        try (Stream<Path> built = Files.list(Path.of("..", "embedded", "target"))) {
            return built.filter(file -> file.getFileName().toString().matches("sluice-embedded-[\\d.]+[.]jar"))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("no jar in embedded/target: mvn package makes it"));
        }
    }

    private static Path jarOf(Class<?> type) throws Exception {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    }

    /** The tiny database, compiled against that jar. */
    @BeforeAll
    static void compile() throws Exception {
        List<String> arguments = new ArrayList<>(List.of("-cp", joined(needed()), "-d", classes.toString()));
        try (Stream<Path> sources = Files.list(TINY_DATABASE)) {
            sources.map(Path::toString).forEach(arguments::add);
        }
        int result = ToolProvider.getSystemJavaCompiler()
                .run(null, System.out, System.err, arguments.toArray(String[]::new));
        assertThat(result).isZero();
    }

    private static List<Path> needed() throws Exception {
        return List.of(embedded(), jarOf(Logger.class), classes);
    }

    private static String joined(List<Path> jars) {
        return jars.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }

    private void assertReplaces(Stream<Path> jars, String fixture) throws Exception {
        try (TinyCluster cluster = new TinyCluster(temp, Path.of(JavaCommand.executable()), jars, fixture)) {
            assertThat(cluster.replace("tiny.TinyDatabase")).contains("replaced c");
            cluster.assertReplaced();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"many", "wide_lz4", "snappy", "zstd", "deflate"})
    void replaces_a_node_alone(String fixture) throws Exception {
        assertReplaces(needed().stream(), fixture);
    }

    /** One that Sluice refuses where it has no other. */
    @Test
    void takes_no_notice_of_the_netty_of_an_application() throws Exception {
        Stream<Path> old = Stream.concat(jars("too-old"), jars("4.1.oldest"));

        assertReplaces(Stream.concat(old, needed().stream()), "many");
    }

    private static Stream<Path> jars(String version) throws IOException {
        try (Stream<Path> jars = Files.list(Path.of("..", "streaming-netty", "target", "netty", version))) {
            return jars.sorted().toList().stream();
        }
    }

    /** With nothing named but the module of the application: the descriptor says what else is needed. */
    @ParameterizedTest
    @EnumSource(
            value = Compressor.class,
            names = {"LZ4", "SNAPPY", "ZSTD"})
    void streams_as_a_module(Compressor compressor) throws Exception {
        WriterOptions options = WriterOptions.DEFAULTS.withCompression(
                CompressionParameters.of(compressor, CompressionParameters.DEFAULT_CHUNK_LENGTH_BYTES));
        Path live = Files.createDirectories(temp.resolve("source").resolve("live"));
        new DataSetWriter(DataSet.ofBytes(1, 1 << 20), Version.NB, options).write(live, 2);
        Path descriptor = Files.writeString(
                temp.resolve("module-info.java"), "module tiny.database { requires io.sluice.embedded; }");
        Path modules = temp.resolve("classes");
        String path = joined(List.of(embedded(), jarOf(Logger.class), modules));
        int compiled = ToolProvider.getSystemJavaCompiler()
                .run(null, System.out, System.err, "-p", path, "-d", modules.toString(), descriptor.toString(), MODULE);
        assertThat(compiled).isZero();

        List<String> command = new ArrayList<>(List.of(JavaCommand.executable(), "-p", path));
        command.addAll(List.of("-m", "tiny.database/tiny.database.Main", temp.toString()));
        command.addAll(List.of("" + FreePort.onLoopback(), "" + FreePort.onLoopback()));
        assertThat(StartedProcess.run(command))
                .last()
                .asString()
                .startsWith("complete by ")
                .endsWith(" in " + NAME);
    }

    private static Set<String> exported(Path... modules) {
        return ModuleFinder.of(modules).findAll().stream()
                .flatMap(module -> module.descriptor().exports().stream())
                .filter(exports -> !exports.isQualified())
                .map(ModuleDescriptor.Exports::source)
                .collect(Collectors.toSet());
    }

    @Test
    void exports_what_the_modules_of_its_parts_export() throws Exception {
        assertThat(exported(embedded()))
                .isEqualTo(exported(jarOf(StreamingNode.class), jarOf(TableStore.class), jarOf(Token.class)))
                .contains("io.sluice.netty");
    }

    @Test
    void says_whose_work_is_in_it() throws Exception {
        try (JarFile jar = new JarFile(embedded().toFile())) {
            assertThat(text(jar, "META-INF/LICENSE")).isEqualTo(Files.readString(Path.of("..", "LICENSE")));
            assertThat(text(jar, "META-INF/NOTICE")).isEqualTo(Files.readString(Path.of("..", "NOTICE")));
        }
    }

    private static String text(JarFile jar, String name) throws IOException {
        try (InputStream in = jar.getInputStream(jar.getJarEntry(name))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** But for Sluice, the codecs, and what lists the parts, all names are its own. */
    @Test
    void leaves_the_names_of_others_alone() throws Exception {
        try (JarFile jar = new JarFile(embedded().toFile())) {
            assertThat(jar.stream().map(JarEntry::getName))
                    .filteredOn(name -> !name.endsWith("/"))
                    .allMatch(name -> name.matches(
                            "module-info.class|(io/sluice|net/jpountz|com/github/luben|org/xerial|linux|darwin)/.*"
                                    + "|META-INF/(maven/.*|MANIFEST.MF|LICENSE|NOTICE|native/libio_sluice_embedded_.*"
                                    + "|services/.*|native-image/org.xerial.*)"));
        }
    }

    @Test
    void finds_its_native_half_under_its_new_name() throws Exception {
        URL[] jars = {embedded().toUri().toURL(), jarOf(Logger.class).toUri().toURL()};
        try (URLClassLoader alone = new URLClassLoader(jars, ClassLoader.getPlatformClassLoader())) {
            Class<?> epoll = alone.loadClass("io.sluice.embedded.io.netty.channel.epoll.Epoll");

            assertThat(epoll.getMethod("unavailabilityCause").invoke(null)).isNull();
            assertThatThrownBy(() -> alone.loadClass("io.netty.channel.Channel"))
                    .isInstanceOf(ClassNotFoundException.class);
        }
    }
}
