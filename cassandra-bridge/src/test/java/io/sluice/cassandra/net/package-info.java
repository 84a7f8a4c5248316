@NullMarked
package io.sluice.cassandra.net;

import org.jspecify.annotations.NullMarked;
