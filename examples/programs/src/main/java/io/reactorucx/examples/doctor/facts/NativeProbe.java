package io.reactorucx.examples.doctor.facts;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads properties of this process by the C library. */
@SuppressWarnings("restricted") // Queries sigaction, and reads the beginning of a function.
public final class NativeProbe {

    /** More than the size of {@code struct sigaction} on any system. Its first word is the handler. */
    private static final int SIGACTION_BYTES = 256;
    private static final String RELATIVE_JUMP = "e9";
    /** {@code movabs $target, %rax; jmp *%rax}, for a target too far for a relative jump. */
    private static final Pattern ABSOLUTE_JUMP = Pattern.compile("48b8.{16}ffe0.*");
    private static final int JUMP_BYTES = 12;

    private NativeProbe() {
    }

    /** The library whose function handles a signal; empty when there is no handler, or it belongs to no file. */
    public static Optional<Path> handlerOf(int signal) {
        try (Arena arena = Arena.ofConfined()) {
            MethodHandle sigaction = Linker.nativeLinker().downcallHandle(Linker.nativeLinker().defaultLookup()
                    .findOrThrow("sigaction"), FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT,
                    ValueLayout.ADDRESS, ValueLayout.ADDRESS));
            MemorySegment old = arena.allocate(SIGACTION_BYTES, Long.BYTES);
            int result = (int) sigaction.invokeExact(signal, MemorySegment.NULL, old);
            return result == 0 ? MemoryMaps.ofThisProcess().fileAt(old.get(ValueLayout.JAVA_LONG, 0))
                    : Optional.empty();
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("a downcall declares no exception", e);
        }
    }

    /**
     * Whether a function of the C library begins with a jump, as UCX's hooks leave it; empty where that is not known.
     */
    public static Optional<Boolean> isPatched(String function) {
        if (!System.getProperty("os.arch").equals("amd64")) {
            return Optional.empty();
        }
        return Linker.nativeLinker().defaultLookup().find(function)
                .map(code -> beginsWithJump(code.reinterpret(JUMP_BYTES).toArray(ValueLayout.JAVA_BYTE)));
    }

    public static boolean beginsWithJump(byte[] code) {
        String hex = HexFormat.of().formatHex(code);
        return hex.startsWith(RELATIVE_JUMP) || ABSOLUTE_JUMP.matcher(hex).matches();
    }
}
