package io.sluice.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.sluice.netty.security.TestAuthority;
import io.sluice.tools.JavaCommand;
import io.sluice.tools.StartedProcess;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The classes of this build on each Netty that they are said to run on, one process for each. The profile {@code full}
 * has put the jars into {@code target/netty}, a folder for each version; the newest is that of the build.
 */
@Tag("full")
class NettyVersionsTest {
    private static final Path VERSIONS = Path.of("target", "netty");

    @TempDir
    private Path temp = Path.of("");

    private Path certificates = Path.of("");

    @BeforeEach
    void certify() throws Exception {
        certificates = temp.resolve("pki");
        TestAuthority authority = new TestAuthority(certificates, "authority");
        authority.node("source", "127.0.0.1");
        authority.node("target", "127.0.0.1");
    }

    /** Each version, and the jars of which it consists. */
    static Stream<Arguments> versions() throws IOException {
        List<Arguments> versions = new ArrayList<>();
        for (String version : List.of("4.1.oldest", "4.1.newest", "4.2.oldest")) {
            List<Path> jars = list(VERSIONS.resolve(version));
            versions.add(arguments(versionOf(jars), jars));
        }
        List<Path> own = classPath().filter(NettyVersionsTest::isNetty).toList();
        versions.add(arguments(versionOf(own), own));
        return versions.stream();
    }

    private static List<Path> list(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        }
    }

    private static String versionOf(List<Path> jars) {
        return jars.stream()
                .map(jar -> jar.getFileName().toString())
                .filter(name -> name.startsWith("netty-common-"))
                .map(name -> name.replaceAll("netty-common-|[.]jar", ""))
                .collect(Collectors.joining(" and "));
    }

    private static Stream<Path> classPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(Path::of);
    }

    /** As it lies in a local repository of Maven's. */
    private static boolean isNetty(Path jar) {
        return jar.toString().contains(Path.of("io", "netty", "netty-").toString());
    }

    /** What the process prints with these jars in place of Netty's on the class path of this test. */
    private List<String> run(List<Path> netty, String... options) throws IOException, InterruptedException {
        String classPath = Stream.concat(netty.stream(), classPath().filter(jar -> !isNetty(jar)))
                .map(Path::toString)
                .collect(Collectors.joining(File.pathSeparator));
        List<String> command = new ArrayList<>(List.of(JavaCommand.executable(), "-XX:TieredStopAtLevel=1"));
        command.addAll(JavaCommand.withoutWarnings());
        command.addAll(List.of(options));
        command.addAll(List.of("-Dlogback.configurationFile=quiet.xml", "-cp", classPath));
        command.addAll(List.of(TransferProcess.class.getName(), temp.toString(), certificates.toString()));
        return StartedProcess.run(command);
    }

    @Test
    void are_the_oldest_and_the_newest_of_both_lines() throws IOException {
        assertThat(versions().map(version -> version.get()[0].toString().replaceAll("(\\d+[.]\\d+)[.].*", "$1")))
                .containsExactly("4.1", "4.1", "4.2", "4.2");
        assertThat(versions().map(version -> version.get()[0])).contains("4.1.96.Final", "4.2.0.Final");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("versions")
    void moves_a_table_by_epoll_and_boringssl(String version, List<Path> jars) throws Exception {
        assertThat(run(jars)).containsExactly(version + " epoll plain", version + " epoll BoringSSL");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("versions")
    void moves_a_table_by_what_the_jdk_has(String version, List<Path> jars) throws Exception {
        assertThat(run(jars, "-Dio.netty.transport.noNative=true", "-Dio.netty.handler.ssl.noOpenSsl=true"))
                .containsExactly(version + " nio plain", version + " nio JDK");
    }

    @Test
    void refuses_one_that_is_too_old() throws Exception {
        List<Path> jars = new ArrayList<>(list(VERSIONS.resolve("too-old")));
        jars.addAll(list(VERSIONS.resolve("4.1.oldest")));

        assertThat(run(jars))
                .singleElement()
                .asString()
                .startsWith("found netty-common 4.1.95.Final on the class path");
    }

    @Test
    void refuses_to_run_with_none() throws Exception {
        assertThat(run(List.of())).singleElement().asString().startsWith("found no Netty on the class path");
    }

    @Test
    void refuses_to_run_with_a_part_of_it() throws Exception {
        List<Path> jars = list(VERSIONS.resolve("4.1.newest")).stream()
                .filter(jar -> !jar.getFileName().toString().startsWith("netty-handler-"))
                .toList();

        assertThat(run(jars)).singleElement().asString().startsWith("found no netty-handler on the class path");
    }
}
