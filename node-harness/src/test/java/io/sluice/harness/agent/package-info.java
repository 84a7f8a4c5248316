@NullMarked
package io.sluice.harness.agent;

import org.jspecify.annotations.NullMarked;
