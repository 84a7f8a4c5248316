@NullMarked
package io.sluice.cassandra.receive;

import org.jspecify.annotations.NullMarked;
