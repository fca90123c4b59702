package io.reactorucx.benchmarks.jmh;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Measures calls of C: a function that does almost nothing, and one that calls Java back once. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class NativeCallBenchmark {

    private static final MethodHandle ABS;
    private static final MethodHandle ABS_CRITICAL;
    /** Compares the key with the only element, which is one upcall. */
    private static final MethodHandle BSEARCH;
    private static final MemorySegment COMPARE;
    private static final MemorySegment WORD = Arena.global().allocate(Long.BYTES);

    static {
        Linker linker = Linker.nativeLinker();
        MemorySegment abs = linker.defaultLookup().findOrThrow("labs");
        FunctionDescriptor ofAbs = FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG);
        ABS = linker.downcallHandle(abs, ofAbs);
        ABS_CRITICAL = linker.downcallHandle(abs, ofAbs, Linker.Option.critical(false));
        BSEARCH = linker.downcallHandle(linker.defaultLookup().findOrThrow("bsearch"),
                FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.ADDRESS,
                ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS));
        try {
            MethodHandle compare = MethodHandles.lookup().findStatic(NativeCallBenchmark.class, "same",
                    MethodType.methodType(int.class, MemorySegment.class, MemorySegment.class));
            COMPARE = linker.upcallStub(compare, FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS,
                    ValueLayout.ADDRESS), Arena.global());
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private long value = -1;

    static int same(MemorySegment left, MemorySegment right) {
        return 0;
    }

    @Benchmark
    public long downcall() throws Throwable {
        return (long) ABS.invokeExact(value);
    }

    @Benchmark
    public long downcallCritical() throws Throwable {
        return (long) ABS_CRITICAL.invokeExact(value);
    }

    @Benchmark
    public MemorySegment downcallWithUpcall() throws Throwable {
        return (MemorySegment) BSEARCH.invokeExact(WORD, WORD, 1L, (long) Long.BYTES, COMPARE);
    }
}
