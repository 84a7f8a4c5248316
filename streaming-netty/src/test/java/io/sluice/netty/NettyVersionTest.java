package io.sluice.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which Netty is refused, and in what words. */
class NettyVersionTest {
    private static final String NEEDED =
            " on the class path: Sluice needs Netty 4.1.96 or newer, or Netty 4.2, all artifacts of one version; "
                    + "import netty-bom in dependencyManagement";

    private static Map<String, Optional<String>> all(String version) {
        Map<String, Optional<String>> found = new TreeMap<>();
        for (String artifact : new String[] {
            "netty-buffer",
            "netty-codec",
            "netty-common",
            "netty-handler",
            "netty-transport",
            "netty-transport-classes-epoll",
            "netty-transport-native-unix-common"
        }) {
            found.put(artifact, Optional.of(version));
        }
        return found;
    }

    @Test
    void the_one_of_this_build_will_do() {
        assertThatCode(NettyVersion::require).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "4.1.96.Final",
                "4.1.100.Final-vendor-00001",
                "4.2.0.Final",
                "4.2.18.Final-SNAPSHOT",
                "unheard of"
            })
    void may_be_of_either_line(String version) {
        assertThat(NettyVersion.refusal(all(version))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"4.1.95.Final", "4.0.56.Final", "3.10.6.Final"})
    void is_refused_if_it_is_too_old(String version) {
        Map<String, Optional<String>> found = all("4.1.137.Final");
        found.put("netty-handler", Optional.of(version));

        assertThat(NettyVersion.refusal(found)).contains("found netty-handler " + version + NEEDED);
    }

    @Test
    void is_refused_if_it_is_of_two_lines() {
        Map<String, Optional<String>> found = all("4.2.18.Final");
        found.put("netty-codec", Optional.of("4.1.137.Final"));

        assertThat(NettyVersion.refusal(found))
                .contains("found netty-codec 4.1.137.Final, netty-transport-native-unix-common 4.2.18.Final" + NEEDED);
    }

    @Test
    void is_refused_if_a_part_is_missing() {
        Map<String, Optional<String>> found = all("4.2.18.Final");
        found.remove("netty-transport-classes-epoll");

        assertThat(NettyVersion.refusal(found)).contains("found no netty-transport-classes-epoll" + NEEDED);
    }

    @Test
    void is_refused_if_there_is_none() {
        assertThat(NettyVersion.refusal(Map.of())).contains("found no Netty" + NEEDED);
    }
}
