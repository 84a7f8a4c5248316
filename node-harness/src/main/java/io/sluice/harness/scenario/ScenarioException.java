package io.sluice.harness.scenario;

/** A scenario cannot go on; the message is the sentence that its user reads. */
public final class ScenarioException extends Exception {
    private static final long serialVersionUID = 1L;

    /** What kind of end it is; the command line makes it an exit code. */
    public enum Kind {
        /** Something failed while the scenario ran. */
        FAILED,
        /** What was asked for cannot be done. */
        WRONG_USAGE
    }

    private final Kind kind;

    public ScenarioException(Kind kind, String sentence) {
        super(sentence);
        this.kind = kind;
    }

    public ScenarioException(Kind kind, String sentence, Throwable cause) {
        super(sentence, cause);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}
