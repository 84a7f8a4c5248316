@NullMarked
package io.sluice.harness.plan;

import org.jspecify.annotations.NullMarked;
