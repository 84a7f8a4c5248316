package io.sluice.harness.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.harness.config.ConfigException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an agent reads of cassandra.yaml, and what it says when it is not there. */
class CassandraYamlTest {
    @TempDir
    private Path folder = Path.of("");

    private CassandraYaml read(String text) throws IOException {
        return CassandraYaml.read(Files.writeString(folder.resolve("cassandra.yaml"), text));
    }

    @Test
    void address_port_and_volumes_are_read() throws IOException {
        CassandraYaml yaml = read("""
                listen_address: 10.0.0.7
                broadcast_address: 192.0.2.7
                storage_port: 7001
                data_file_directories: [/a/data, /b/../c/data]
                storage_compatibility_mode: NONE
                other: {nested: true}
                """);

        assertThat(yaml.listenAddress()).isEqualTo("10.0.0.7");
        assertThat(yaml.broadcastAddress()).isEqualTo("192.0.2.7");
        assertThat(yaml.storagePort()).isEqualTo(7001);
        assertThat(yaml.dataDirectories()).isEqualTo(List.of(Path.of("/a/data"), Path.of("/c/data")));
        assertThat(yaml.readsOa()).isTrue();
    }

    @Test
    void defaults_are_those_of_cassandra() throws IOException {
        CassandraYaml yaml = read("listen_address: 10.0.0.7\ndata_file_directories: [/a]\n");

        assertThat(yaml.broadcastAddress()).isEqualTo("10.0.0.7");
        assertThat(yaml.storagePort()).isEqualTo(7000);
        assertThat(yaml.readsOa()).isFalse();
    }

    @Test
    void the_last_one_of_a_key_counts_and_no_value_is_as_no_key() throws IOException {
        CassandraYaml yaml = read("""
                listen_address: 10.0.0.7
                listen_address: 10.0.0.8
                broadcast_address:
                storage_port:
                data_file_directories:
                    - /a
                """);

        assertThat(yaml.listenAddress()).isEqualTo("10.0.0.8");
        assertThat(yaml.broadcastAddress()).isEqualTo("10.0.0.8");
        assertThat(yaml.storagePort()).isEqualTo(7000);
    }

    @Test
    void what_is_missing_is_named_with_the_file() {
        assertThatThrownBy(() -> read("data_file_directories: [/a]"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("cassandra.yaml: no listen_address");
        assertThatThrownBy(() -> read("listen_address: 10.0.0.7")).hasMessageContaining("no data_file_directories");
        assertThatThrownBy(() -> read("listen_address: 10.0.0.7\nstorage_port: 70000\ndata_file_directories: [/a]"))
                .hasMessageContaining("storage_port: 70000 (expected: 1 to 65535)");
        assertThatThrownBy(() -> read("listen_address: 10.0.0.7\ndata_file_directories: [/a, {b: c}]"))
                .hasMessageContaining("data_file_directories: a mapping (expected: a path)");
        assertThatThrownBy(() -> read("listen_address: 10.0.0.7\ndata_file_directories: [\"a\\0b\"]"))
                .hasMessageContaining("cassandra.yaml: data_file_directories: Nul character");
        assertThatThrownBy(() -> read("listen_address: 10.0.0.7\nstorage_port: x\ndata_file_directories: [/a]"))
                .hasMessageContaining("storage_port: x (expected: 1 to 65535)");
        assertThatThrownBy(() -> read("- a")).hasMessageContaining("no settings");
        assertThatThrownBy(() -> read("a: [")).hasMessageContaining("not YAML");
        assertThatThrownBy(() -> CassandraYaml.read(folder.resolve("none")))
                .hasMessageContaining("none: no such file or folder");
    }

    @Test
    void a_host_name_becomes_the_address_that_the_ring_has() throws IOException {
        CassandraYaml yaml = read("listen_address: localhost\ndata_file_directories: [/a]\n");
        CassandraYaml other =
                read("listen_address: 10.0.0.7\nbroadcast_address: localhost\ndata_file_directories: [/a]\n");

        String local = InetAddress.getByName("localhost").getHostAddress();
        assertThat(yaml.listenAddress()).isEqualTo(local);
        assertThat(yaml.broadcastAddress()).isEqualTo(local);
        assertThat(other.broadcastAddress()).isEqualTo(local);
    }

    @Test
    void a_host_name_that_cannot_be_resolved_is_refused() {
        assertThatThrownBy(() -> read("listen_address: no-host.invalid\ndata_file_directories: [/a]\n"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("cassandra.yaml: listen_address: cannot resolve 'no-host.invalid' (expected:");
        assertThatThrownBy(() -> read(
                        "listen_address: 10.0.0.7\nbroadcast_address: no-host.invalid\ndata_file_directories: [/a]\n"))
                .hasMessageContaining("cassandra.yaml: broadcast_address: cannot resolve 'no-host.invalid' (expected:");
    }

    @Test
    void an_interface_becomes_its_address() throws IOException {
        String name = NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress())
                .getName();

        CassandraYaml yaml = read("listen_interface: " + name + "\ndata_file_directories: [/a]\n");

        assertThat(yaml.listenAddress()).isEqualTo("127.0.0.1");
        assertThat(yaml.broadcastAddress()).isEqualTo("127.0.0.1");
    }

    @Test
    void interfaces_are_refused_that_are_not_there_or_beside_an_address() {
        assertThatThrownBy(() -> read("listen_interface: none0\ndata_file_directories: [/a]\n"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("cassandra.yaml: listen_interface: no network interface 'none0' (expected:");
        assertThatThrownBy(
                        () -> read("listen_address: 10.0.0.7\nlisten_interface: none0\ndata_file_directories: [/a]\n"))
                .hasMessageContaining("listen_address and listen_interface (expected: one of");
        assertThatThrownBy(() -> read("""
                        listen_interface: none0
                        listen_interface_prefer_ipv6: maybe
                        data_file_directories: [/a]
                        """))
                .hasMessageContaining("listen_interface_prefer_ipv6: maybe (expected: true or false)");
    }

    @Test
    void of_two_kinds_of_addresses_the_preferred_one_counts_and_one_alone_always() throws IOException {
        InetAddress four = InetAddress.getByName("10.0.0.7");
        InetAddress six = InetAddress.getByName("fd00::7");

        assertThat(ListenAddress.choose(List.of(six, four), false)).contains(four);
        assertThat(ListenAddress.choose(List.of(four, six), true)).contains(six);
        assertThat(ListenAddress.choose(List.of(six), false)).contains(six);
        assertThat(ListenAddress.choose(List.of(four), true)).contains(four);
        assertThat(ListenAddress.choose(List.of(), true)).isEmpty();
    }

    @Test
    void a_node_whose_folders_have_other_paths_here_is_not_another_one() throws IOException {
        Path data = Files.createDirectory(folder.resolve("data"));
        Path link = Files.createSymbolicLink(folder.resolve("link"), data);
        CassandraYaml yaml = read(
                "listen_address: 10.0.0.7\ndata_file_directories: [" + link + ", " + folder.resolve("none") + "]\n");

        assertThat(yaml.difference(List.of(folder.resolve("more"), data), Optional.of("10.0.0.7:7000")))
                .isEmpty();
        assertThat(yaml.difference(List.of(link), Optional.empty())).isEmpty();
    }

    @Test
    void another_node_has_other_folders_or_another_address() throws IOException {
        Path data = Files.createDirectory(folder.resolve("data"));
        Path other = Files.createDirectory(folder.resolve("other"));
        CassandraYaml yaml = read("listen_address: 10.0.0.7\ndata_file_directories: [" + data + ", " + other + "]\n");

        assertThat(yaml.difference(List.of(data), Optional.empty()))
                .contains("its data directories are [" + data + "], and cassandra.yaml has " + other
                        + " (expected: --jmx and --cassandra-yaml of one node, and the file as the node was started)");
        assertThat(yaml.difference(List.of(data, other), Optional.of("10.0.0.8:7000")))
                .hasValueSatisfying(difference -> assertThat(difference)
                        .startsWith(
                                "it is 10.0.0.8:7000 in the ring, and cassandra.yaml has 10.0.0.7:7000 (expected: "));
    }
}
