package io.reactorucx.stress;

import io.reactorucx.UcxOutbound;
import io.reactorucx.UcxRequester;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.buffer.UcxBufferPool;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Random calls of {@code outbound()}, {@code inbound()} and {@code requester()}. */
final class MessageCalls {

    static final List<Call.Kind> KINDS = List.of(MessageCalls::arrays, MessageCalls::arrays, MessageCalls::leases,
            MessageCalls::refusedMessages, MessageCalls::secondReceiver, MessageCalls::response,
            MessageCalls::response, MessageCalls::responseInLease, MessageCalls::responses, MessageCalls::channel,
            MessageCalls::fireAndForget, MessageCalls::refusedRequests);

    private MessageCalls() {
    }

    private static <T> Flux<T> varied(Call call, Flux<T> source) {
        return switch (call.random().nextInt(8)) {
            case 0 -> source.concatWith(Mono.error(new CallJournal.Intended()));
            case 1 -> source.subscribeOn(Schedulers.parallel());
            case 2 -> source.delaySubscription(Duration.ofMillis(2));
            case 3 -> source.hide();
            default -> source;
        };
    }

    private static void arrays(Call call) {
        Queue<Long> numbers = new ConcurrentLinkedQueue<>();
        int size = call.checkedSize();
        int count = size > 100_000 ? call.random().nextInt(4) : call.random().nextInt(40);
        Flux<byte[]> source = Flux.range(0, count).map(each -> {
            MemorySegment message = call.peer().next(size);
            numbers.add(Payload.number(message));
            return message.toArray(ValueLayout.JAVA_BYTE);
        });
        Flux<byte[]> varied = varied(call, source);
        call.<Void>follow("sendByteArrays", Rule.LEGAL, () -> call.connection().outbound().sendByteArrays(varied),
                ignored -> { }, () -> call.confirm(numbers));
    }

    private static void leases(Call call) {
        Queue<Long> numbers = new ConcurrentLinkedQueue<>();
        int size = call.checkedSize();
        int count = size > 100_000 ? call.random().nextInt(4) : call.random().nextInt(40);
        UcxBufferPool pool = call.connection().resources().buffers();
        Flux<UcxBuffer> source = Flux.range(0, count).concatMap(each -> pool.acquireLater(size).doOnNext(lease -> {
            long number = call.peer().nextNumber();
            Payload.fill(lease.segment(), call.peer().number, number);
            numbers.add(number);
        }), 1);
        boolean fails = call.oneIn(8);
        call.<Void>follow("send of leases", Rule.LEGAL, () -> call.connection().outbound().send(
                fails ? source.concatWith(Mono.error(new CallJournal.Intended())) : source),
                ignored -> { }, () -> call.confirm(numbers));
    }

    private static void refusedMessages(Call call) {
        UcxOutbound out = call.connection().outbound();
        switch (call.random().nextInt(4)) {
            case 0 -> call.follow("sendByteArrays of null", Rule.WRONG, () -> out.sendByteArrays(nothing()));
            case 1 -> call.follow("sendByteArrays of too large a message", Rule.WRONG,
                    () -> out.sendByteArrays(Mono.just(new byte[Round.MAX_MESSAGE_BYTES + 1])));
            case 2 -> {
                UcxBuffer lease = call.connection().resources().buffers().acquire(100);
                lease.release();
                call.follow("send of a released lease", Rule.WRONG, () -> out.send(Mono.just(lease)));
            }
            default -> call.follow("sendStrings of a source that throws", Rule.WRONG,
                    () -> out.sendStrings(Flux.defer(() -> {
                        throw new CallJournal.Intended();
                    })));
        }
    }

    private static void secondReceiver(Call call) {
        call.<String>follow("receive of messages that have a receiver", Rule.EITHER,
                () -> call.connection().inbound().receiveStrings());
    }

    private static UcxRequester requester(Call call) {
        UcxRequester requester = call.connection().requester();
        return call.oneIn(4) ? requester.withDeadline(Duration.ofMillis(1 + call.random().nextInt(20))) : requester;
    }

    private static byte[] bytes(Call call) {
        byte[] bytes = new byte[call.size()];
        Arrays.fill(bytes, (byte) call.number());
        return bytes;
    }

    private static void response(Call call) {
        byte[] request = bytes(call);
        UcxRequester requester = requester(call);
        boolean throwing = call.oneIn(20);
        call.<byte[]>follow("requestResponse", Rule.LEGAL, () -> requester.requestResponse(request), response -> {
            if (!Arrays.equals(request, response)) {
                call.fault("response differs from its request of " + request.length + " bytes");
            }
            if (throwing) {
                throw new CallJournal.Intended();
            }
        }, () -> { });
    }

    /** A lease, which belongs to an exchange from its subscription on. */
    private static UcxBuffer lease(Call call, long size) {
        UcxBuffer lease = call.connection().resources().buffers().acquire(size);
        lease.segment().fill((byte) call.number());
        return lease;
    }

    private static void responseInLease(Call call) {
        int size = call.size();
        UcxRequester requester = requester(call);
        call.<UcxBuffer>follow("requestResponse with a lease", Rule.LEGAL,
                () -> requester.requestResponse(lease(call, size)), response -> {
                    long length = response.length();
                    response.release();
                    if (length != size) {
                        call.fault("a response has " + length + " bytes, its request " + size);
                    }
                }, () -> { });
    }

    private static void responses(Call call) {
        byte[] request = bytes(call);
        UcxRequester requester = requester(call);
        int take = call.oneIn(3) ? call.random().nextInt(10) : Integer.MAX_VALUE;
        boolean throwing = call.oneIn(20);
        call.<byte[]>follow("requestStream", Rule.LEGAL,
                () -> requester.requestStream(request).limitRate(1 + call.random().nextInt(20)).take(take),
                response -> {
                    if (throwing) {
                        throw new CallJournal.Intended();
                    }
                }, () -> { });
    }

    private static void channel(Call call) {
        UcxRequester requester = requester(call);
        UcxBufferPool pool = call.connection().resources().buffers();
        int size = call.size();
        Flux<UcxBuffer> source = Flux.range(0, call.random().nextInt(20)).concatMap(each -> pool.acquireLater(size),
                1);
        Flux<UcxBuffer> requests = call.oneIn(6) ? source.concatWith(Mono.error(new CallJournal.Intended())) : source;
        call.<UcxBuffer>follow("requestChannel", Rule.LEGAL, () -> requester.requestChannel(requests),
                UcxBuffer::release, () -> { });
    }

    private static void fireAndForget(Call call) {
        UcxRequester requester = requester(call);
        if (call.oneIn(2)) {
            call.follow("fireAndForget", Rule.LEGAL, () -> requester.fireAndForget(bytes(call)));
        } else {
            int size = call.size();
            call.follow("fireAndForget with a lease", Rule.LEGAL, () -> requester.fireAndForget(lease(call, size)));
        }
    }

    private static void refusedRequests(Call call) {
        UcxRequester requester = call.connection().requester();
        switch (call.random().nextInt(4)) {
            case 0 -> call.plain("withDeadline of less than 0", Rule.WRONG,
                    () -> requester.withDeadline(Duration.ofMillis(-1)));
            case 1 -> call.plain("withDeadline of days", Rule.WRONG, () -> requester.withDeadline(Duration.ofDays(7)));
            case 2 -> call.follow("requestChannel of null", Rule.WRONG, () -> requester.requestChannel(nothing()));
            default -> {
                UcxBuffer lease = call.connection().resources().buffers().acquire(10);
                lease.release();
                call.<UcxBuffer>follow("requestStream with a released lease", Rule.WRONG,
                        () -> requester.requestStream(lease));
            }
        }
    }

    /** Gives null to a parameter that must not be null. */
    @SuppressWarnings("NullAway") // that is the wrong argument
    static <T> T nothing() {
        return null;
    }
}
