@NullMarked
package io.sluice.cassandra.wire;

import org.jspecify.annotations.NullMarked;
