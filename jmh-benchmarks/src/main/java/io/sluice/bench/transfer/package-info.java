/** Whole transfers between two processes, beside a C program that does the least: {@code ./sluice bench transfer}. */
@NullMarked
package io.sluice.bench.transfer;

import org.jspecify.annotations.NullMarked;
