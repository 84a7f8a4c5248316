@NullMarked
package io.sluice.harness.cassandra;

import org.jspecify.annotations.NullMarked;
