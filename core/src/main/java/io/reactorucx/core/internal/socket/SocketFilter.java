package io.reactorucx.core.internal.socket;

import io.reactorucx.core.ffi.UcpCompat;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Collection;

/**
 * A socket filter of the kernel (classic BPF). One kind lets a listening TCP socket see only segments of certain source
 * addresses. Others are dropped before the handshake of TCP, so that their sender's connect times out. Sockets that
 * were accepted keep the filter that the listening socket had then. The other kind lets a datagram socket see only
 * datagrams of one byte.
 */
public final class SocketFilter {

    /** The number of addresses that a filter can have: the kernel takes 4096 instructions. */
    public static final int MAX_ADDRESSES = 400;

    private static final int LOAD_WORD = 0x20;
    private static final int LOAD_LENGTH = 0x80;
    private static final int JUMP_IF_EQUAL = 0x15;
    private static final int RETURN = 0x06;
    /** SKF_NET_OFF: offsets are relative to the header of IP. */
    private static final int NETWORK_HEADER = -0x100000;
    private static final int SOURCE_IN_IPV4 = 12;
    private static final int SOURCE_IN_IPV6 = 8;
    private static final int INSTRUCTION_BYTES = 8;
    private static final int WORD_BYTES = 4;
    private static final int PROGRAM_BYTES = 16;

    private SocketFilter() {
    }

    /**
     * Replaces the filter of a socket.
     *
     * @param descriptor a listening socket
     * @param ipv6 whether it listens on an address of IPv6
     * @param sources the addresses to admit, others of the other family are ignored
     * @return 0, or -1 when the kernel has refused
     */
    public static int attach(int descriptor, boolean ipv6, Collection<InetAddress> sources) {
        return attach(descriptor, program(ipv6, sources));
    }

    /**
     * Sets the filter of a datagram socket to one that drops all but single bytes.
     *
     * @param descriptor the socket
     * @return 0, or -1 when the kernel has refused
     */
    public static int attachSingleBytes(int descriptor) {
        ByteBuffer code = ByteBuffer.allocate(4 * INSTRUCTION_BYTES).order(ByteOrder.nativeOrder());
        instruction(code, LOAD_LENGTH, 0, 0);
        instruction(code, JUMP_IF_EQUAL, 1, 1);
        instruction(code, RETURN, 0, 1);
        instruction(code, RETURN, 0, 0);
        return attach(descriptor, code.array());
    }

    private static int attach(int descriptor, byte[] code) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment filter = arena.allocate(code.length, Long.BYTES).copyFrom(MemorySegment.ofArray(code));
            MemorySegment program = arena.allocate(PROGRAM_BYTES, Long.BYTES);
            program.set(ValueLayout.JAVA_SHORT, 0, (short) (code.length / INSTRUCTION_BYTES));
            program.set(ValueLayout.ADDRESS, Long.BYTES, filter);
            return UcpCompat.attachFilter(descriptor, program, PROGRAM_BYTES);
        }
    }

    /** Returns whether a socket has a filter. */
    public static boolean isAttached(int descriptor) {
        try (Arena arena = Arena.ofConfined()) {
            // The kernel answers a length of 0 with the number of instructions.
            MemorySegment length = arena.allocate(ValueLayout.JAVA_INT);
            return UcpCompat.filterLength(descriptor, length) == 0 && length.get(ValueLayout.JAVA_INT, 0) > 0;
        }
    }

    /** Removes the filter of a socket; one without a filter stays as it is. */
    public static void detach(int descriptor) {
        try (Arena arena = Arena.ofConfined()) {
            // The kernel reads no value, but refuses a call without one.
            UcpCompat.detachFilter(descriptor, arena.allocate(ValueLayout.JAVA_INT));
        }
    }

    static byte[] program(boolean ipv6, Collection<InetAddress> sources) {
        int words = ipv6 ? 4 : 1;
        int offset = ipv6 ? SOURCE_IN_IPV6 : SOURCE_IN_IPV4;
        ByteBuffer code = ByteBuffer.allocate((sources.size() * (2 * words + 1) + 1) * INSTRUCTION_BYTES)
                .order(ByteOrder.nativeOrder());
        for (InetAddress source : sources) {
            ByteBuffer bytes = ByteBuffer.wrap(source.getAddress());
            if (bytes.remaining() == words * WORD_BYTES) {
                for (int i = 0; i < words; i++) {
                    instruction(code, LOAD_WORD, 0, NETWORK_HEADER + offset + i * WORD_BYTES);
                    // A difference skips the rest of this address: two instructions a word, and the return.
                    instruction(code, JUMP_IF_EQUAL, 2 * (words - 1 - i) + 1, bytes.getInt());
                }
                instruction(code, RETURN, 0, -1);
            }
        }
        instruction(code, RETURN, 0, 0);
        byte[] program = new byte[code.position()];
        code.flip().get(program);
        return program;
    }

    private static void instruction(ByteBuffer code, int operation, int skipIfFalse, int value) {
        code.putShort((short) operation).put((byte) 0).put((byte) skipIfFalse).putInt(value);
    }
}
