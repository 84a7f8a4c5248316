/** Tests of what auditors are told. */
@org.jspecify.annotations.NullMarked
package io.sluice.streaming.audit;
