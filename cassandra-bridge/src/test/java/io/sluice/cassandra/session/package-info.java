@NullMarked
package io.sluice.cassandra.session;

import org.jspecify.annotations.NullMarked;
