/** JMH benchmarks: real bytes, over a real loopback socket, into real files. */
@NullMarked
package io.sluice.bench;

import org.jspecify.annotations.NullMarked;
