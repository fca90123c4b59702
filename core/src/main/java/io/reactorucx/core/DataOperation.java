package io.reactorucx.core;

import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.core.error.UcxUnsupportedException;
import io.reactorucx.core.internal.StackRoom;
import io.reactorucx.core.internal.worker.RequestKind;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An operation on data of any layout, with the parameters that all of UCX's functions share. */
record DataOperation(RequestKind kind, String name, UcpWorker worker, @Nullable UcpEndpoint endpoint, UcpData data,
        boolean receives, Set<RequestFlag> flags) {

    /** The call into UCX. */
    @FunctionalInterface
    interface Call {

        long post(long token, UcpData.Native buffer, MemorySegment parameters);
    }

    /** Handles the status pointer that UCX returned. Returns whether the operation is done. */
    @FunctionalInterface
    interface StatusHandler {

        boolean posted(long token, long statusPointer);
    }

    DataOperation(String name, UcpWorker worker, @Nullable UcpEndpoint endpoint, UcpData data, boolean receives,
            Set<RequestFlag> flags) {
        this(RequestKind.GENERAL, name, worker, endpoint, data, receives, flags);
    }

    DataOperation {
        data.check(receives, argument(receives));
    }

    private static String argument(boolean receives) {
        return receives ? "destination" : "payload";
    }

    /** Refuses what UCX 1.13 takes for plain bytes: it would send the list of segments instead of their contents. */
    DataOperation requireLayoutIsHonoured() {
        if (!data.isBytes() && flags.contains(RequestFlag.NO_IMMEDIATE_COMPLETION)) {
            throw new UcxUnsupportedException(name, "with NO_IMMEDIATE_COMPLETION UCX takes all data for plain bytes,"
                    + " leave the flag out");
        }
        return this;
    }

    DataOperation refuse(RequestFlag flag, String reason) {
        if (flags.contains(flag)) {
            throw new UcxUnsupportedException(name, flag + ": " + reason);
        }
        return this;
    }

    private UcxMemoryType memoryType() {
        UcxMemoryType memoryType = flags.contains(RequestFlag.DETECT_MEMORY_TYPE) ? UcxMemoryType.UNKNOWN
                : data.memoryType();
        if (memoryType != UcxMemoryType.HOST && memoryType != UcxMemoryType.UNKNOWN
                && !worker.context().attributes().memoryTypes().contains(memoryType)) {
            throw new UcxUnsupportedException(name, "no transport of this context knows memory of type " + memoryType);
        }
        return memoryType;
    }

    /**
     * Copies eager data, which has arrived already, by the processor, with the checks and the completion of a receive.
     */
    UcpRequest postCopy(MemorySegment from, Completion whenDone, Runnable release) {
        RequestFlag.bits(flags);
        UcxMemoryType memoryType = memoryType();
        boolean reachable = memoryType == UcxMemoryType.UNKNOWN
                ? worker.context().attributes().memoryTypes().stream().allMatch(UcxMemoryType::isHostAccessible)
                : memoryType.isHostAccessible();
        if (!reachable) {
            throw new UcxUnsupportedException(name, "memory of type " + memoryType
                    + " for eager data, which the processor copies: fetch it into memory that the host can reach");
        }
        if (!flags.contains(RequestFlag.NO_IMMEDIATE_COMPLETION)) {
            copy(from, data.segments());
            release.run();
            return new UcpRequest(worker, endpoint, RequestTable.NONE);
        }
        RequestTable requests = worker.requests();
        long token = requests.begin(kind, name, whenDone, endpoint,
                data.pinned(worker.context(), argument(receives)), data);
        copy(from, data.segments());
        release.run();
        MemorySegment length = requests.scratch(token, Long.BYTES);
        length.set(ValueLayout.JAVA_LONG, 0, from.byteSize());
        requests.postedWithLength(name, null, token, 0, length);
        return new UcpRequest(worker, endpoint, token);
    }

    private static void copy(MemorySegment from, List<MemorySegment> to) {
        long offset = 0;
        for (MemorySegment each : to) {
            long bytes = Math.min(each.byteSize(), from.byteSize() - offset);
            MemorySegment.copy(from, offset, each, 0, bytes);
            offset += bytes;
        }
    }

    UcpRequest post(MemorySegment stub, int operationFlags, Completion whenDone, Call call) {
        String peer = endpoint == null ? null : endpoint.peer();
        return post(stub, operationFlags, whenDone, call,
                (token, pointer) -> worker.requests().posted(name, peer, token, pointer));
    }

    UcpRequest post(MemorySegment stub, int operationFlags, Completion whenDone, Call call, StatusHandler handler) {
        int attributes = RequestFlag.bits(flags);
        GenericDatatype type = data.generic();
        if (type == null) {
            return post(data.toNative(), data.datatype(), stub, attributes, operationFlags, whenDone, call, handler);
        }
        StackRoom.require();
        GenericOperations generics = worker.generics();
        GenericOperations.Running running = generics.begin(type, !receives, whenDone);
        UcpRequest request;
        try {
            request = post(running.toNative(), generics.datatype(), stub, attributes, operationFlags, running, call,
                    handler);
        } catch (RuntimeException | Error e) {
            running.end();
            throw e;
        }
        Throwable thrown = request.isImmediate() ? running.end() : null;
        if (thrown != null) {
            throw new UcxException(UcxStatus.IO_ERROR, name, endpoint == null ? null : endpoint.peer(),
                    "its generic datatype threw", thrown);
        }
        return request;
    }

    private UcpRequest post(UcpData.Native buffer, long datatype, MemorySegment stub, int attributes,
            int operationFlags, Completion whenDone, Call call, StatusHandler handler) {
        UcxMemoryType memoryType = memoryType();
        Object[] keepReachable = {data, buffer};
        long token = worker.requests().begin(kind, name, whenDone, endpoint,
                data.pinned(worker.context(), argument(receives)), keepReachable);
        MemorySegment parameters = worker.parameters().forData(stub, token,
                data.isBytes() ? RequestParameters.BYTES : datatype,
                data.byteSize() == 0 ? null : data.registration(), attributes, operationFlags, memoryType);
        if (flags.contains(RequestFlag.USER_REQUEST)) {
            worker.parameters().withRequest(worker.requests().userRequest(token, worker.context()));
        }
        boolean done = handler.posted(token, call.post(token, buffer, parameters));
        return new UcpRequest(worker, endpoint, done ? RequestTable.NONE : token);
    }
}
