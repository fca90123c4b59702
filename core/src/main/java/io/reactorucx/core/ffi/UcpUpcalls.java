package io.reactorucx.core.ffi;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;

/**
 * The functions that UCX calls back, bound a second time by hand with numbers for pointers: Java makes a segment of
 * each pointer before the callback runs, and where the heap is full at that moment, nothing catches the error and the
 * JVM ends.
 *
 * <p>Each function is called often enough, before UCX gets it, that Java has linked and specialized its call, for which
 * it needs memory as well. These calls have 0 for each argument, and may throw from inside the callback's own
 * {@code try} block, so that the class of its {@code catch} block is loaded, too.
 */
public final class UcpUpcalls {

    /**
     * More than the 127 calls after which Java makes a copy of a method handle for its caller
     * (java.lang.invoke.MethodHandle.CUSTOMIZE_THRESHOLD, which cannot be larger).
     */
    private static final int CALLS = 160;

    private UcpUpcalls() {
    }

    /** {@snippet lang=c : void (*ucp_send_nbx_callback_t)(void *request, ucs_status_t status, void *user_data) } */
    @FunctionalInterface
    public interface SendCallback {

        /** Called inside {@code ucp_worker_progress} or a close. */
        void ended(long request, byte status, long userData);
    }

    /**
     * {@snippet lang=c :
     * void (*ucp_tag_recv_nbx_callback_t)(void *, ucs_status_t, const ucp_tag_recv_info_t *, void *)
     * void (*ucp_am_recv_data_nbx_callback_t)(void *, ucs_status_t, size_t length, void *)
     * void (*ucp_stream_recv_nbx_callback_t)(void *, ucs_status_t, size_t length, void *)
     * }
     */
    @FunctionalInterface
    public interface ReceiveCallback {

        /** Called inside {@code ucp_worker_progress} or the call that receives. */
        void ended(long request, byte status, long infoOrLength, long userData);
    }

    /**
     * {@snippet lang=c :
     * ucs_status_t (*ucp_am_recv_callback_t)(void *, const void *, size_t, void *, size_t,
     *                                        const ucp_am_recv_param_t *)
     * }
     */
    @FunctionalInterface
    public interface ActiveMessageCallback {

        /** Called inside {@code ucp_worker_progress}. */
        byte arrived(long arg, long header, long headerLength, long data, long length, long param);
    }

    /** {@snippet lang=c : void (*ucp_err_handler_cb_t)(void *arg, ucp_ep_h ep, ucs_status_t status) } */
    @FunctionalInterface
    public interface EndpointErrorCallback {

        /** Called inside {@code ucp_worker_progress} or a call on the endpoint. */
        void failed(long arg, long endpoint, byte status);
    }

    /** {@snippet lang=c : void (*ucp_listener_conn_callback_t)(ucp_conn_request_h request, void *arg) } */
    @FunctionalInterface
    public interface ConnectionCallback {

        /** Called inside {@code ucp_worker_progress}. */
        void requested(long request, long arg);
    }

    /** {@snippet lang=c : void *(*start_pack)(void *context, const void *buffer, size_t count) } */
    @FunctionalInterface
    public interface StartCallback {

        /** Called inside the call that posts. */
        long started(long context, long buffer, long count);
    }

    /** {@snippet lang=c : size_t (*packed_size)(void *state) } */
    @FunctionalInterface
    public interface SizeCallback {

        /** Called inside the call that posts. */
        long size(long state);
    }

    /** {@snippet lang=c : size_t (*pack)(void *state, size_t offset, void *dest, size_t max_length) } */
    @FunctionalInterface
    public interface PackCallback {

        /** Called inside any call. */
        long pack(long state, long offset, long destination, long length);
    }

    /** {@snippet lang=c : ucs_status_t (*unpack)(void *state, size_t offset, const void *src, size_t length) } */
    @FunctionalInterface
    public interface UnpackCallback {

        /** Called inside any call. */
        byte unpack(long state, long offset, long source, long length);
    }

    /** {@snippet lang=c : void (*finish)(void *state) } */
    @FunctionalInterface
    public interface FinishCallback {

        /** Called inside any call. */
        void finish(long state);
    }

    /** {@return a function pointer that calls back, for as long as the arena lives} */
    public static MemorySegment send(SendCallback callback, Arena arena) {
        return stub(SendCallback.class, "ended", callback, ofVoid(JAVA_LONG, JAVA_BYTE, JAVA_LONG), arena);
    }

    /** {@return a function pointer that calls back, for as long as the arena lives} */
    public static MemorySegment receive(ReceiveCallback callback, Arena arena) {
        return stub(ReceiveCallback.class, "ended", callback, ofVoid(JAVA_LONG, JAVA_BYTE, JAVA_LONG, JAVA_LONG),
                arena);
    }

    /** {@return a function pointer that calls back, for as long as the arena lives} */
    public static MemorySegment activeMessage(ActiveMessageCallback callback, Arena arena) {
        return stub(ActiveMessageCallback.class, "arrived", callback, FunctionDescriptor.of(JAVA_BYTE, JAVA_LONG,
                JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG), arena);
    }

    /** {@return a function pointer that calls back, for as long as the arena lives} */
    public static MemorySegment endpointError(EndpointErrorCallback callback, Arena arena) {
        return stub(EndpointErrorCallback.class, "failed", callback, ofVoid(JAVA_LONG, JAVA_LONG, JAVA_BYTE), arena);
    }

    /** {@return a function pointer that calls back, for as long as the arena lives} */
    public static MemorySegment connection(ConnectionCallback callback, Arena arena) {
        return stub(ConnectionCallback.class, "requested", callback, ofVoid(JAVA_LONG, JAVA_LONG), arena);
    }

    /** {@return a function pointer that calls back, for as long as the arena lives} */
    public static MemorySegment start(StartCallback callback, Arena arena) {
        return stub(StartCallback.class, "started", callback, FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG,
                JAVA_LONG), arena);
    }

    /** {@return a function pointer that calls back, for as long as the arena lives} */
    public static MemorySegment packedSize(SizeCallback callback, Arena arena) {
        return stub(SizeCallback.class, "size", callback, FunctionDescriptor.of(JAVA_LONG, JAVA_LONG), arena);
    }

    /** {@return a function pointer that calls back, for as long as the arena lives} */
    public static MemorySegment pack(PackCallback callback, Arena arena) {
        return stub(PackCallback.class, "pack", callback, FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG,
                JAVA_LONG, JAVA_LONG), arena);
    }

    /** {@return a function pointer that calls back, for as long as the arena lives} */
    public static MemorySegment unpack(UnpackCallback callback, Arena arena) {
        return stub(UnpackCallback.class, "unpack", callback, FunctionDescriptor.of(JAVA_BYTE, JAVA_LONG, JAVA_LONG,
                JAVA_LONG, JAVA_LONG), arena);
    }

    /** {@return a function pointer that calls back, for as long as the arena lives} */
    public static MemorySegment finish(FinishCallback callback, Arena arena) {
        return stub(FinishCallback.class, "finish", callback, ofVoid(JAVA_LONG), arena);
    }

    private static FunctionDescriptor ofVoid(MemoryLayout... arguments) {
        return FunctionDescriptor.ofVoid(arguments);
    }

    private static MemorySegment stub(Class<?> type, String method, Object callback, FunctionDescriptor descriptor,
            Arena arena) {
        try {
            MethodHandle target = MethodHandles.lookup().findVirtual(type, method, descriptor.toMethodType())
                    .bindTo(callback);
            MemorySegment stub = Linker.nativeLinker().upcallStub(target, descriptor, arena);
            warmUp(stub, descriptor);
            return stub;
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private static void warmUp(MemorySegment stub, FunctionDescriptor descriptor) {
        Object[] zeros = descriptor.argumentLayouts().stream()
                .map(layout -> layout.byteSize() == 1 ? (Object) (byte) 0 : (Object) 0L).toArray();
        MethodHandle call = MethodHandles.insertArguments(Linker.nativeLinker().downcallHandle(stub, descriptor), 0,
                zeros);
        MethodHandle ready = call.asType(call.type().changeReturnType(void.class));
        try {
            for (int i = 0; i < CALLS; i++) {
                ready.invokeExact();
            }
        } catch (Throwable t) {
            throw new AssertionError("a downcall declares no exception", t);
        }
    }
}
