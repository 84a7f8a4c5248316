/** Benchmarks of two processes: how they are started, asked, and what they have used. */
@NullMarked
package io.sluice.bench.process;

import org.jspecify.annotations.NullMarked;
