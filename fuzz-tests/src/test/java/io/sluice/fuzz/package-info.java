/**
 * Fuzzing: {@link io.sluice.fuzz.FuzzTarget} lists every parser of bytes from outside, {@link io.sluice.fuzz.Contract}
 * says what each must keep to, whatever the bytes are. Targets for package-private parsers lie in the parsers'
 * packages.
 */
@NullMarked
package io.sluice.fuzz;

import org.jspecify.annotations.NullMarked;
