@NullMarked
package io.sluice.harness.replace;

import org.jspecify.annotations.NullMarked;
