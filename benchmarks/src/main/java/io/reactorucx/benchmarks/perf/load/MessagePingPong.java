package io.reactorucx.benchmarks.perf.load;

import io.reactorucx.UcxConnection;
import io.reactorucx.buffer.UcxBuffer;
import java.util.function.IntFunction;
import org.agrona.collections.IntArrayQueue;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;

/**
 * Sends a message with credits at the start of each operation, which ends when the server's handler has sent it back.
 */
public final class MessagePingPong<T> extends LaneOperations implements Publisher<T>, Subscription {

    private final IntFunction<T> messages;
    private final IntArrayQueue order = new IntArrayQueue();
    private Subscriber<? super T> subscriber = Operators.emptySubscriber();
    private long demand;
    private int waiting;
    private int next;

    private MessagePingPong(int lanes, IntFunction<T> messages) {
        super(lanes);
        this.messages = messages;
    }

    /** Subscribes to both directions of a connection. */
    public static LaneOperations of(UcxConnection connection, int lanes, int size, Payloads payloads) {
        if (Payloads.isSmall(size)) {
            byte[] message = new byte[size];
            MessagePingPong<byte[]> operations = new MessagePingPong<>(lanes, lane -> message);
            operations.begin(connection.inbound().receiveByteArrays());
            connection.outbound().sendByteArrays(operations).subscribe(Signals.ignored(operations::failed));
            return operations;
        }
        MessagePingPong<UcxBuffer> operations = new MessagePingPong<>(lanes, lane -> payloads.lease(lane).retain());
        operations.begin(connection.inbound().receive());
        connection.outbound().send(operations).subscribe(Signals.ignored(operations::failed));
        return operations;
    }

    private void begin(Flux<T> answers) {
        answers.subscribe(new Signals<>(this::failed) {
            @Override
            public void onNext(T value) {
                if (value instanceof UcxBuffer lease) {
                    lease.release();
                }
                signalled(order.pollInt());
            }
        });
    }

    @Override
    public void begin(int lane) {
        await(lane, 1);
        order.addInt(lane);
        waiting++;
        emit();
    }

    private void emit() {
        while (waiting > 0 && demand > 0) {
            waiting--;
            demand--;
            subscriber.onNext(messages.apply(next++ & Integer.MAX_VALUE));
        }
    }

    @Override
    public void subscribe(Subscriber<? super T> actual) {
        subscriber = actual;
        actual.onSubscribe(this);
    }

    @Override
    public void request(long n) {
        demand = Operators.addCap(demand, n);
        emit();
    }

    @Override
    public void cancel() {
        subscriber = Operators.emptySubscriber();
    }
}
