package io.sluice.hook;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Inserts a static call at the start of a method of a class file. The method is renamed, and a new method with the old
 * name calls the static method with {@code this}, then the renamed method:
 *
 * <pre>
 * aload_0  invokestatic HOOK.call(Object)  aload_0  invokevirtual this.RENAMED  areturn
 * </pre>
 *
 * The code of the old method is kept byte for byte: no jump moves, and the new method has no jumps, so neither needs a
 * new table of stack frames. New constants follow the existing ones (Java Virtual Machine Specification, chapter 4).
 * Stateless.
 */
final class ClassPatch {
    /** Prefix of the renamed method. */
    static final String PREFIX = "sluice$";

    private static final int MAGIC = 0xCAFEBABE;
    private static final int UTF8 = 1;
    private static final int CLASS = 7;
    private static final int METHOD = 10;
    private static final int NAME_AND_TYPE = 12;
    private static final int PUBLIC = 0x0001;
    private static final int STATIC = 0x0008;
    private static final int ADDED_CONSTANTS = 11;
    private static final int MOST_CONSTANTS = 65_535;
    private static final int CODE_BYTES = 9;
    private static final int CODE_HEADER_BYTES = 12;

    private ClassPatch() {}

    /** The method to call: public and static, with one parameter of type Object, in a public class {@code a/b/C}. */
    static final class Call {
        private final String owner;
        private final String name;

        Call(String owner, String name) {
            this.owner = owner;
            this.name = name;
        }
    }

    /**
     * Returns the class file with the call inserted.
     *
     * @param method name of a public method without arguments that returns an object; exactly one method has this name
     * @throws IOException if there is no such method, or the class file is malformed
     */
    static byte[] before(String method, Call call, byte[] classFile) throws IOException {
        try {
            return new Patch(method, call).apply(classFile);
        } catch (EOFException e) {
            throw new IOException("truncated class file", e);
        }
    }

    /** One pass over a class file. */
    private static final class Patch {
        private final String method;
        private final Call call;
        private final List<String> strings = new ArrayList<>();
        private final ByteArrayOutputStream methods = new ByteArrayOutputStream();
        private String returned = "";
        private int constants;

        Patch(String method, Call call) {
            this.method = method;
            this.call = call;
        }

        byte[] apply(byte[] classFile) throws IOException {
            DataInputStream in = new DataInputStream(new ByteArrayInputStream(classFile));
            if (in.readInt() != MAGIC) {
                throw new IOException("not a class file");
            }
            ByteArrayOutputStream patched = new ByteArrayOutputStream(classFile.length + 1024);
            DataOutputStream out = new DataOutputStream(patched);
            out.writeInt(MAGIC);
            out.writeInt(in.readInt()); // version
            byte[] pool = readPool(in);
            ByteArrayOutputStream head = new ByteArrayOutputStream();
            DataOutputStream rest = new DataOutputStream(head);
            rest.writeShort(in.readUnsignedShort()); // access
            int self = in.readUnsignedShort();
            rest.writeShort(self);
            rest.writeShort(in.readUnsignedShort()); // superclass
            int interfaces = in.readUnsignedShort();
            rest.writeShort(interfaces);
            copy(in, rest, 2L * interfaces);
            int fields = in.readUnsignedShort();
            rest.writeShort(fields);
            for (int i = 0; i < fields; i++) {
                copy(in, rest, 6);
                copyAttributes(in, rest);
            }
            int count = in.readUnsignedShort();
            copyMethods(in, count);
            out.writeShort(constants + ADDED_CONSTANTS);
            out.write(pool);
            writeConstants(out, self);
            head.writeTo(out);
            out.writeShort(count + 1);
            methods.writeTo(out);
            writeMethod(out);
            copyAttributes(in, out);
            return patched.toByteArray();
        }

        /** Copies the constants unchanged and keeps the strings among them, by constant number. */
        private byte[] readPool(DataInputStream in) throws IOException {
            constants = in.readUnsignedShort();
            if (constants + ADDED_CONSTANTS > MOST_CONSTANTS) {
                throw new IOException("no room for " + ADDED_CONSTANTS + " more constants");
            }
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            DataOutputStream pool = new DataOutputStream(bytes);
            strings.add("");
            while (strings.size() < constants) {
                int tag = in.readUnsignedByte();
                pool.writeByte(tag);
                String text = "";
                if (tag == UTF8) {
                    text = in.readUTF();
                    pool.writeUTF(text);
                } else {
                    copy(in, pool, lengthOf(tag));
                }
                strings.add(text);
                if (tag == 5 || tag == 6) {
                    strings.add(""); // a long or a double occupies two entries
                }
            }
            return bytes.toByteArray();
        }

        private static int lengthOf(int tag) throws IOException {
            switch (tag) {
                case 7: // class
                case 8: // string
                case 16: // method type
                case 19: // module
                case 20: // package
                    return 2;
                case 15: // method handle
                    return 3;
                case 3: // int
                case 4: // float
                case 9: // field
                case 10: // method
                case 11: // method of an interface
                case 12: // name and type
                case 17: // dynamic
                case 18: // invokedynamic
                    return 4;
                case 5: // long
                case 6: // double
                    return 8;
                default:
                    throw new IOException("constant of kind " + tag);
            }
        }

        private void copyMethods(DataInputStream in, int count) throws IOException {
            DataOutputStream out = new DataOutputStream(methods);
            for (int i = 0; i < count; i++) {
                int access = in.readUnsignedShort();
                int name = in.readUnsignedShort();
                int descriptor = in.readUnsignedShort();
                boolean isWanted = text(name).equals(method)
                        && text(descriptor).startsWith("()L")
                        && (access & (PUBLIC | STATIC)) == PUBLIC;
                if (isWanted && !returned.isEmpty()) {
                    throw new IOException("two methods " + method + "()");
                }
                returned = isWanted ? text(descriptor) : returned;
                out.writeShort(access);
                out.writeShort(isWanted ? constants : name); // the first of the added constants
                out.writeShort(descriptor);
                copyAttributes(in, out);
            }
            if (returned.isEmpty()) {
                throw new IOException("no public method " + method + "() that returns an object");
            }
        }

        private String text(int constant) throws IOException {
            if (constant >= strings.size()) {
                throw new IOException("constant " + constant + " of " + strings.size());
            }
            return strings.get(constant);
        }

        /** Writes the added constants; they are numbered from {@link #constants}. */
        private void writeConstants(DataOutputStream out, int self) throws IOException {
            text(out, PREFIX + method); // 0
            text(out, returned); // 1
            pair(out, NAME_AND_TYPE, constants, constants + 1); // 2
            pair(out, METHOD, self, constants + 2); // 3
            text(out, call.owner); // 4
            out.writeByte(CLASS); // 5
            out.writeShort(constants + 4);
            text(out, call.name); // 6
            text(out, "(Ljava/lang/Object;)V"); // 7
            pair(out, NAME_AND_TYPE, constants + 6, constants + 7); // 8
            pair(out, METHOD, constants + 5, constants + 8); // 9
            text(out, "Code"); // 10
        }

        private static void text(DataOutputStream out, String text) throws IOException {
            out.writeByte(UTF8);
            out.writeUTF(text);
        }

        private static void pair(DataOutputStream out, int tag, int first, int second) throws IOException {
            out.writeByte(tag);
            out.writeShort(first);
            out.writeShort(second);
        }

        private void writeMethod(DataOutputStream out) throws IOException {
            out.writeShort(PUBLIC);
            out.writeShort(strings.indexOf(method));
            out.writeShort(constants + 1);
            out.writeShort(1); // attributes
            out.writeShort(constants + 10);
            out.writeInt(CODE_HEADER_BYTES + CODE_BYTES);
            out.writeShort(1); // maximum stack depth
            out.writeShort(1); // local variables: this
            out.writeInt(CODE_BYTES);
            out.writeByte(0x2a); // aload_0
            out.writeByte(0xb8); // invokestatic
            out.writeShort(constants + 9);
            out.writeByte(0x2a); // aload_0
            out.writeByte(0xb6); // invokevirtual
            out.writeShort(constants + 3);
            out.writeByte(0xb0); // areturn
            out.writeShort(0); // exception handlers
            out.writeShort(0); // attributes of the code
        }

        private static void copyAttributes(DataInputStream in, DataOutputStream out) throws IOException {
            int count = in.readUnsignedShort();
            out.writeShort(count);
            for (int i = 0; i < count; i++) {
                out.writeShort(in.readUnsignedShort());
                int length = in.readInt();
                out.writeInt(length);
                copy(in, out, length & 0xFFFFFFFFL);
            }
        }

        private static void copy(DataInputStream in, DataOutputStream out, long length) throws IOException {
            if (length > in.available()) {
                throw new IOException("truncated class file");
            }
            byte[] bytes = new byte[(int) length];
            in.readFully(bytes);
            out.write(bytes);
        }
    }
}
