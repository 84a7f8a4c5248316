@NullMarked
package io.sluice.harness.cli.cassandra;

import org.jspecify.annotations.NullMarked;
