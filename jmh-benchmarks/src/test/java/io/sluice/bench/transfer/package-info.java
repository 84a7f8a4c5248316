/** What is made of measured transfers and requests. */
@NullMarked
package io.sluice.bench.transfer;

import org.jspecify.annotations.NullMarked;
