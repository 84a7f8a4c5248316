/** The errors of streaming, shared by all its rooms. */
@NullMarked
package io.sluice.streaming;

import org.jspecify.annotations.NullMarked;
