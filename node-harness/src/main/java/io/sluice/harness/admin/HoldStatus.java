package io.sluice.harness.admin;

/**
 * A peer that is not let in for a while. Immutable.
 *
 * @param who {@code address 10.0.0.7} or {@code certificate 3fa9...}
 * @param times how often in a row
 * @param secondsLeft until it may come again
 * @param reason its latest violation
 */
public record HoldStatus(String who, int times, long secondsLeft, String reason) {
    private static final String CERTIFICATE = "certificate ";

    /** Whether an operator means this peer: by all of its name, or by the first letters of its certificate. */
    public boolean isNamed(String name) {
        boolean isBegun = name.startsWith(CERTIFICATE) && name.length() > CERTIFICATE.length();
        return who.equals(name) || (isBegun && who.startsWith(name));
    }
}
