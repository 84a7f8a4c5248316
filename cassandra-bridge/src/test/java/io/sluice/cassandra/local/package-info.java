@NullMarked
package io.sluice.cassandra.local;

import org.jspecify.annotations.NullMarked;
