package io.sluice.harness.config;

/** An invalid configuration file or option; the message is one sentence with the place, the value and the reason. */
public final class ConfigException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public ConfigException(String message) {
        super(message);
    }

    public ConfigException(String message, Throwable cause) {
        super(message, cause);
    }
}
