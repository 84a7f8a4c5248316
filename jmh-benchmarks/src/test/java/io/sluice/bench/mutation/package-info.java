@NullMarked
package io.sluice.bench.mutation;

import org.jspecify.annotations.NullMarked;
