/**
 * The types of columns: their names in serialization headers, the lengths of their values on disk, and the order of
 * clusterings and cell paths.
 *
 * <pre>
 * name := [package.]Class [ "(" parameter { "," parameter } ")" ]    package is org.apache.cassandra.db.marshal
 *   ReversedType(x) FrozenType(x) ListType(x) SetType(x) MapType(k,v) TupleType(a,b..) CompositeType(a,b..)
 *   UserType(keyspace,hex(name),hex(field):type,..) VectorType(x , n)
 *
 * value lengths: BooleanType 1; Int32Type FloatType 4; LongType DoubleType TimestampType DateType 8;
 *   UUIDType TimeUUIDType LexicalUUIDType 16; EmptyType 0; a vector of fixed elements n * element;
 *   a reversed type as its inner one; all others: uvint length before the bytes
 * inside: frozen list and set: i32 count, then i32 length + bytes each; frozen map: i32 count, then key and value so;
 *   tuple, frozen user type: i32 length + bytes each, -1 = null, trailing fields may be missing;
 *   vector of variable elements: uvint length + bytes each
 * </pre>
 *
 * <p>A list, set, map or user type that is not frozen has a cell per element ("complex", "multi-cell").
 */
@NullMarked
package io.sluice.sstable.type;

import org.jspecify.annotations.NullMarked;
