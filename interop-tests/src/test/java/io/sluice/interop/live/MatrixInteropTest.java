package io.sluice.interop.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import io.sluice.interop.Cassandra;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the writers of live nodes write, in each compression and shape, is whole to {@code verify}, shown as sstabledump
 * shows it, and the same after it was streamed, to Cassandra, too. With {@code -Dmatrix.kinds=4.1.10} only nodes whose
 * names contain that; with {@code -Dmatrix.cells='SASI|cleanup'} only cells in whose names that is found. Leaves
 * {@code target/matrix.md}.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MatrixInteropTest {
    private static final Path REPORT = Path.of("target", "matrix.md");

    @TempDir
    private static Path work = Path.of("");

    private final MatrixReport report = new MatrixReport();
    private Cassandra cassandra;
    private MatrixSession session;

    @BeforeAll
    void start() throws IOException {
        cassandra = Cassandra.start(Files.createDirectories(work.resolve("oracle")));
        session = MatrixSession.start(Files.createDirectories(work.resolve("sessions")));
    }

    @AfterAll
    void stop() throws IOException {
        session.close();
        report.write(REPORT);
    }

    @TestFactory
    Stream<DynamicNode> cells() {
        String wanted = System.getProperty("matrix.kinds", "");
        return Stream.of(
                        new MatrixCells.Kind("4.0.17", "", "nb"),
                        new MatrixCells.Kind("4.1.10", "", "nb"),
                        new MatrixCells.Kind("5.0.9", "NONE", "oa"),
                        new MatrixCells.Kind("5.0.9", "NONE", "da"))
                .filter(kind -> kind.toString().contains(wanted))
                .map(kind -> dynamicContainer(
                        kind.toString(),
                        Stream.of(kind).flatMap(one -> made(one).stream().map(this::test))));
    }

    private static List<MatrixCell> made(MatrixCells.Kind kind) {
        try {
            return MatrixCells.make(kind, work.resolve("cells"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private DynamicTest test(MatrixCell cell) {
        return dynamicTest(cell.toString(), () -> {
            Optional<String> refusal = MatrixRefusals.reason(cell);
            if (cell.folder().isPresent()) {
                check(cell, cell.folder().orElseThrow());
                assertThat(refusal)
                        .as("MatrixRefusals names a cell that is written")
                        .isEmpty();
            } else if (refusal.isPresent()) {
                report.refused(cell, refusal.get());
            } else {
                AssertionError unexpected = new AssertionError("not written: " + cell.refusal());
                report.wrong(cell, unexpected);
                throw unexpected;
            }
        });
    }

    private void check(MatrixCell cell, Path folder) throws Exception {
        try {
            report.right(cell, new MatrixCheck(cassandra, session).check(cell, folder));
        } catch (Exception | AssertionError wrong) {
            report.wrong(cell, wrong);
            throw wrong;
        } finally {
            MoreFiles.deleteRecursively(folder, RecursiveDeleteOption.ALLOW_INSECURE);
        }
    }
}
