package io.sluice.harness.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class SimulateClusterCommandTest {
    private final StringWriter errors = new StringWriter();

    private int run(String... arguments) {
        CommandLine all = Main.commandLine().setErr(new PrintWriter(errors));
        String[] whole = new String[arguments.length + 1];
        whole[0] = "simulate-cluster";
        System.arraycopy(arguments, 0, whole, 1, arguments.length);
        return all.execute(whole);
    }

    @Test
    void a_small_cluster_is_predicted() {
        assertThat(run("--nodes", "6", "--vnodes", "4", "--data-per-node", "10GiB", "--join", "2"))
                .isZero();
        assertThat(run("--nodes", "6", "--vnodes", "1", "--racks", "1", "--data-per-node", "10GiB", "--json"))
                .isZero();
    }

    @Test
    void what_cannot_be_predicted_is_refused_with_a_reason() {
        assertThat(run("--nodes", "2")).isEqualTo(2);
        assertThat(run("--nic", "25")).isEqualTo(2);
        assertThat(run("--check", "nowhere.json")).isEqualTo(2);
        assertThat(run("--calibrate", "nowhere.json")).isEqualTo(2);
        assertThat(run("--sstable-size", "1KiB")).isEqualTo(2);

        assertThat(errors.toString())
                .contains("--replication-factor: 3 (expected: 2 to 2)")
                .contains("'25' (expected: a rate as 25Gbit")
                .contains("--check without --calibrate")
                .contains("nowhere.json: no such file")
                .contains("--sstable-size: 1024");
    }
}
