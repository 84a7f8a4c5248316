package io.sluice.harness.scenario;

import io.sluice.harness.report.RunReport.EndState;
import io.sluice.streaming.ErrorCode;
import java.util.Optional;

/** A scenario cannot go on; the message is the sentence that its user reads. */
public final class ScenarioException extends Exception {
    private static final long serialVersionUID = 1L;

    /** What kind of end it is; the command line makes it an exit code. */
    public enum Kind {
        /** Something failed while the scenario ran. */
        FAILED(EndState.FAILED),
        /** The operation cannot be done, and nothing was moved. */
        REFUSED(EndState.REFUSED),
        /** Some of what was to be moved is installed, some is not. */
        PARTLY(EndState.PARTLY),
        /** What was asked for cannot be done. */
        WRONG_USAGE(EndState.REFUSED);

        private final EndState state;

        Kind(EndState state) {
            this.state = state;
        }

        /** As a report has it. */
        EndState state() {
            return state;
        }
    }

    private final Kind kind;
    private final Optional<ErrorCode> code;
    private final boolean isOfStreaming;

    public ScenarioException(Kind kind, String sentence) {
        super(sentence);
        this.kind = kind;
        this.code = Optional.empty();
        this.isOfStreaming = false;
    }

    public ScenarioException(Kind kind, String sentence, Throwable cause) {
        super(sentence, cause);
        this.kind = kind;
        this.code = Optional.empty();
        this.isOfStreaming = false;
    }

    private ScenarioException(Kind kind, ErrorCode code, String sentence) {
        super(sentence);
        this.kind = kind;
        this.code = Optional.of(code);
        this.isOfStreaming = true;
    }

    /** The operation itself failed, with a code of streaming; a scenario may have expected just that. */
    static ScenarioException ofStreaming(Kind kind, ErrorCode code, String sentence) {
        return new ScenarioException(kind, code, sentence);
    }

    public Kind kind() {
        return kind;
    }

    /** Its code, if it is a failure of streaming. */
    public Optional<ErrorCode> code() {
        return code;
    }

    /** Whether streaming failed, and not what is around it, as the comparison of contents. */
    boolean isOfStreaming() {
        return isOfStreaming;
    }
}
