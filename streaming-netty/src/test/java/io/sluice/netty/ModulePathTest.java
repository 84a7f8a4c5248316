package io.sluice.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.component.Version;
import io.sluice.sstable.compression.CompressionParameters;
import io.sluice.sstable.compression.Compressor;
import io.sluice.sstable.data.WriterOptions;
import io.sluice.sstable.generate.DataSet;
import io.sluice.sstable.generate.DataSetWriter;
import io.sluice.tools.FreePort;
import io.sluice.tools.JavaCommand;
import io.sluice.tools.StartedProcess;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * An embedder with a module descriptor: compiled against Sluice on the module path, and run there, with neither
 * Micrometer nor the annotations of JSpecify.
 */
@Tag("full")
class ModulePathTest {
    private static final Path SOURCES = Path.of("src", "test", "embedder");
    private static final Path VERSIONS = Path.of("target", "netty");

    @TempDir
    private Path temp = Path.of("");

    /** The modules of Sluice, and what they require; Netty from a folder, or that of this build. */
    private static String modulePath(String netty) throws IOException {
        List<Path> path = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            String name = Path.of(entry).getFileName().toString();
            boolean isModuleOfSluice = Files.exists(Path.of(entry, "module-info.class"))
                    || name.matches("sluice-(sstable-format|streaming-core|streaming-netty)-[0-9.]+(-SNAPSHOT)?[.]jar");
            boolean isRequired = name.matches("(lz4-java|zstd-jni|snappy-java|slf4j-api)-.*[.]jar");
            boolean isNetty = netty.equals("build") && name.matches("netty-.*[.]jar") && !name.contains("pkitesting");
            if (isModuleOfSluice || isRequired || isNetty) {
                path.add(Path.of(entry));
            }
        }
        if (!netty.equals("build")) {
            try (Stream<Path> jars = Files.list(VERSIONS.resolve(netty))) {
                jars.forEach(path::add);
            }
        }
        return path.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }

    /** What the compiler says; empty if nothing is wrong. */
    private String compile(String modulePath, Path... sources) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter said = new StringWriter();
        try (StandardJavaFileManager files =
                compiler.getStandardFileManager(null, Locale.ROOT, StandardCharsets.UTF_8)) {
            boolean isCompiled = compiler.getTask(
                            said,
                            files,
                            null,
                            List.of(
                                    "--release",
                                    "17",
                                    "--module-path",
                                    modulePath,
                                    "-d",
                                    temp.resolve("classes").toString()),
                            null,
                            files.getJavaFileObjects(sources))
                    .call();
            assertThat(isCompiled).as(said.toString()).isEqualTo(said.toString().isEmpty());
        }
        return said.toString();
    }

    /** Options with which Java 24 and newer print no warning; older ones print none, and do not know both. */
    private static List<String> documentedOptions() throws IOException {
        String modules = "io.netty.common,org.lz4.java,com.github.luben.zstd_jni,org.xerial.snappy";
        List<String> options = List.of("--enable-native-access=" + modules, "--sun-misc-unsafe-memory-access=allow");
        assertThat(Files.readString(Path.of("..", "docs", "embedding.md"))).contains(options);
        return Runtime.version().feature() < 24 ? List.of() : options;
    }

    private List<String> run(String modulePath, Object... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(JavaCommand.executable()));
        command.addAll(documentedOptions());
        command.addAll(List.of(
                "--module-path",
                modulePath + File.pathSeparator + temp.resolve("classes"),
                "--add-modules",
                "ALL-MODULE-PATH", // the natives, which no module requires
                "--module",
                "tiny.database/tiny.database.Main"));
        Stream.of(arguments).map(Object::toString).forEach(command::add);
        return StartedProcess.run(command).stream()
                .filter(line -> !line.startsWith("SLF4J"))
                .toList();
    }

    @ParameterizedTest
    @CsvSource({"LZ4, build", "SNAPPY, build", "ZSTD, build", "LZ4, 4.1.oldest"})
    @EnabledOnOs(OS.LINUX)
    void a_database_with_a_module_of_its_own_streams_by_epoll(Compressor compressor, String netty) throws Exception {
        WriterOptions options = WriterOptions.DEFAULTS.withCompression(
                CompressionParameters.of(compressor, CompressionParameters.DEFAULT_CHUNK_LENGTH_BYTES));
        Path live = Files.createDirectories(temp.resolve("source").resolve("live"));
        new DataSetWriter(DataSet.ofBytes(1, 1 << 20), Version.NB, options).write(live, 2);
        String modulePath = modulePath(netty);

        assertThat(compile(modulePath, SOURCES.resolve("module-info.java"), SOURCES.resolve("tiny/database/Main.java")))
                .isEmpty();
        assertThat(run(modulePath, temp, FreePort.onLoopback(), FreePort.onLoopback()))
                .hasSize(2)
                .element(1)
                .asString()
                .matches("complete by epoll in io.sluice.netty");
    }

    @Test
    void what_is_not_for_embedders_does_not_compile() throws Exception {
        Path source = Files.createDirectories(temp.resolve("tiny")).resolve("Inside.java");
        Files.writeString(
                source, "package tiny.database; class Inside { io.sluice.streaming.install.StagingArea area; }");

        assertThat(compile(modulePath("build"), SOURCES.resolve("module-info.java"), source))
                .contains("package io.sluice.streaming.install is not visible");
    }
}
