@NullMarked
package io.sluice.bench.compare;

import org.jspecify.annotations.NullMarked;
