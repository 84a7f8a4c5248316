package io.sluice.cassandra.receive;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.sluice.sstable.component.Version;
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
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Cassandra's dialect in a process of its own: as named modules and from the class path, each with the versions of
 * Netty that {@code streaming-netty} has put into its {@code target/netty} for the profile {@code full}.
 */
@Tag("full")
class EmbeddedBridgeTest {
    private static final Path VERSIONS = Path.of("..", "streaming-netty", "target", "netty");
    private static final Path SOURCES = Path.of("src", "test", "embedder");
    private static final String MAIN = "tiny.loader.Main";

    /** What the embedder uses, and the modules do not promise: so far, only commands of Sluice use the bridge. */
    private static final List<String> INTERNALS = List.of(
            "--add-exports=io.sluice.cassandra/io.sluice.cassandra.load=tiny.loader",
            "--add-exports=io.sluice.cassandra/io.sluice.cassandra.net=tiny.loader",
            "--add-exports=io.sluice.cassandra/io.sluice.cassandra.receive=tiny.loader",
            "--add-exports=io.sluice.cassandra/io.sluice.cassandra.ring=tiny.loader",
            "--add-exports=io.sluice.cassandra/io.sluice.cassandra.send=tiny.loader",
            "--add-exports=io.sluice.sstable/io.sluice.sstable=tiny.loader",
            "--add-exports=io.sluice.sstable/io.sluice.sstable.component=tiny.loader",
            "--add-exports=io.sluice.streaming/io.sluice.streaming.session=tiny.loader");

    @TempDir
    private Path temp = Path.of("");

    @BeforeEach
    void generate() throws Exception {
        Path table = Files.createDirectories(source());
        new DataSetWriter(DataSet.ofBytes(1, 1 << 20), Version.NB, WriterOptions.DEFAULTS).write(table, 2);
        X509Bundle own = new CertificateBuilder()
                .subject("CN=node")
                .ecp256()
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
        try (var out = Files.newOutputStream(temp.resolve("keys.p12"))) {
            own.toKeyStore("secret".toCharArray()).store(out, "secret".toCharArray());
        }
    }

    private Path source() {
        return temp.resolve("shop").resolve("users-00000000000000010000000000000002");
    }

    private static Stream<Path> classPath(Predicate<Path> wanted) {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(Path::of)
                .filter(wanted);
    }

    /** As it lies in a local repository of Maven's. */
    private static boolean isNetty(Path jar) {
        return jar.toString().contains(Path.of("io", "netty", "netty-").toString());
    }

    private static boolean isModule(Path entry) {
        return Files.exists(entry.resolve("module-info.class"))
                || entry.getFileName()
                        .toString()
                        .matches("(sluice-(sstable-format|streaming-core|streaming-netty)|lz4-java|zstd-jni|snappy-java"
                                + "|slf4j-api|java-driver-core)-\\d.*[.]jar");
    }

    private static List<Path> netty(String version) throws IOException {
        if (version.equals("build")) {
            return classPath(EmbeddedBridgeTest::isNetty)
                    .filter(jar -> !jar.toString().contains("pkitesting"))
                    .toList();
        }
        try (Stream<Path> jars = Files.list(VERSIONS.resolve(version))) {
            return jars.toList();
        }
    }

    private static String joined(Stream<Path> path) {
        return path.map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }

    private Path compile(List<String> options, String... sources) throws IOException {
        Path classes = temp.resolve("classes");
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter errors = new StringWriter();
        try (StandardJavaFileManager files =
                compiler.getStandardFileManager(null, Locale.ROOT, StandardCharsets.UTF_8)) {
            List<String> all = new ArrayList<>(options);
            all.addAll(List.of("-d", classes.toString()));
            Path[] paths = Stream.of(sources).map(SOURCES::resolve).toArray(Path[]::new);
            assertThat(compiler.getTask(errors, files, null, all, null, files.getJavaFileObjects(paths))
                            .call())
                    .as(errors.toString())
                    .isTrue();
        }
        return classes;
    }

    private List<String> run(List<String> options) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(JavaCommand.executable()));
        command.addAll(JavaCommand.withoutWarnings());
        command.addAll(options);
        command.addAll(List.of(
                source().toString(),
                temp.resolve("received").toString(),
                temp.resolve("keys.p12").toString(),
                String.valueOf(FreePort.onLoopback())));
        return StartedProcess.run(command).stream()
                .filter(line -> !line.matches("SLF4J.*|WARNING: .*|note: .*"))
                .toList();
    }

    private static void assertStreamed(List<String> printed, String netty, String module) {
        String version = netty.matches("4[.][12][.].*") ? netty.substring(0, 3) + "[.]\\d+" : "\\d+[.]\\d+[.]\\d+";
        assertThat(printed).hasSize(3);
        assertThat(printed.get(0)).matches(version + "[.]Final epoll plain " + module);
        assertThat(printed.get(1)).matches(version + "[.]Final epoll BoringSSL " + module);
        assertThat(printed.get(2)).isEqualTo("CQL: PEER_LOST");
    }

    @ParameterizedTest
    @ValueSource(strings = {"4.1.oldest", "4.1.newest", "4.2.oldest", "build"})
    void streams_from_the_class_path_on_each_netty(String netty) throws Exception {
        List<Path> jars = netty(netty);
        String classPath = joined(Stream.concat(
                jars.stream(),
                classPath(entry -> !isNetty(entry) && !entry.toString().contains("logback"))));
        Path classes = compile(List.of("--release", "17", "--class-path", classPath), "tiny/loader/Main.java");

        assertStreamed(run(List.of("-cp", classPath + File.pathSeparator + classes, MAIN)), netty, "null");
    }

    @ParameterizedTest
    @ValueSource(strings = {"4.1.oldest", "build"})
    void streams_as_a_named_module(String netty) throws Exception {
        String modulePath = joined(Stream.concat(netty(netty).stream(), classPath(EmbeddedBridgeTest::isModule)));
        List<String> compilation = new ArrayList<>(List.of("--module-path", modulePath));
        compilation.addAll(INTERNALS);
        Path classes = compile(compilation, "module-info.java", "tiny/loader/Main.java");

        List<String> command = new ArrayList<>(INTERNALS);
        command.addAll(List.of("--add-modules", "ALL-MODULE-PATH")); // for native epoll and BoringSSL
        command.addAll(List.of(
                "--class-path",
                joined(classPath(jar -> jar.toString()
                        .matches(".*(native-protocol|driver|config|jackson|reactive|jcip|spotbugs).*")))));
        command.addAll(
                List.of("--module-path", modulePath + File.pathSeparator + classes, "--module", "tiny.loader/" + MAIN));

        assertStreamed(run(command), netty, "io.sluice.cassandra");
    }
}
