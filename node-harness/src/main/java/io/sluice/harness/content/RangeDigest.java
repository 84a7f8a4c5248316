package io.sluice.harness.content;

import io.sluice.sstable.merge.ContentDigest;
import io.sluice.sstable.token.TokenRange;

/** What is in a token range, whatever files it lies in. Immutable. */
public record RangeDigest(TokenRange range, ContentDigest content) {}
