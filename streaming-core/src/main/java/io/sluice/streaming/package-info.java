/** Error codes, limits, timeouts and the retry policy, which all packages of streaming share. */
@NullMarked
package io.sluice.streaming;

import org.jspecify.annotations.NullMarked;
