/** Progress and results of stream plans, for operators and for programs. */
@NullMarked
package io.sluice.streaming.progress;

import org.jspecify.annotations.NullMarked;
