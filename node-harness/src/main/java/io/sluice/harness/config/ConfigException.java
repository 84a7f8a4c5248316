package io.sluice.harness.config;

/** A configuration file or option is not what it must be; the message is one sentence that says where, what and why. */
public final class ConfigException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public ConfigException(String message) {
        super(message);
    }

    public ConfigException(String message, Throwable cause) {
        super(message, cause);
    }
}
