@NullMarked
package io.sluice.bench;

import org.jspecify.annotations.NullMarked;
