@NullMarked
package io.sluice.bench.replace;

import org.jspecify.annotations.NullMarked;
