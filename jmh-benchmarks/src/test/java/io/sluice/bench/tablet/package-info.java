@NullMarked
package io.sluice.bench.tablet;

import org.jspecify.annotations.NullMarked;
