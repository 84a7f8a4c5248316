package io.sluice.streaming.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sstable.SSTable;
import io.sluice.sstable.TableDirectory;
import io.sluice.sstable.compression.DataReader;
import io.sluice.streaming.transfer.Fixtures;
import io.sluice.tools.JavaCommand;
import io.sluice.tools.StartedProcess;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A process whose folder for temporary files takes no native library. */
@EnabledOnOs(OS.LINUX)
class UnusableCodecTest {
    private static final String FAILURE = "failure: ";

    /** Reads data of each table of that name, and prints how a session would fail with that. */
    static final class Reading {
        private Reading() {}

        public static void main(String[] arguments) throws IOException {
            List<TableDirectory> tables = Fixtures.tables()
                    .filter(table -> table.path().getFileName().toString().startsWith(arguments[0] + "-"))
                    .toList();
            for (TableDirectory table : tables) {
                SSTable sstable = SSTable.open(table.path(), table.descriptors().get(0));
                try (DataReader data = sstable.openData()) {
                    data.read(0, ByteBuffer.allocate(1));
                } catch (IOException | RuntimeException | LinkageError failed) {
                    System.out.println(FAILURE + Failure.of(failed));
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"zstd, Cannot unpack libzstd", "snappy, no snappyjava in java.library.path"})
    void the_reason_names_the_codec_and_what_to_set(String codec, String why) throws Exception {
        List<String> failures =
                StartedProcess.run(JavaCommand.words(List.of("-Djava.io.tmpdir=/proc"), Reading.class.getName(), codec))
                        .stream()
                        .filter(line -> line.startsWith(FAILURE))
                        .toList();

        assertThat(failures)
                .hasSize(3)
                .allSatisfy(line -> assertThat(line)
                        .startsWith(FAILURE + "INTERNAL: " + codec
                                + " cannot be used: its native library could not be loaded: ")
                        .contains(why, "set -Djava.io.tmpdir to a folder"));
    }
}
