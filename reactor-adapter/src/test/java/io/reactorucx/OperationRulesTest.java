package io.reactorucx;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.core.AmProtocol;
import io.reactorucx.core.MemoryDescriptor;
import io.reactorucx.core.UcpCapability;
import io.reactorucx.core.UcpMemory;
import io.reactorucx.core.UcpSupport;
import io.reactorucx.message.TaggedMessage;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Operations, and what is made of them, obey Reactive Streams. */
@Tag("slow")
class OperationRulesTest {

    private static final int ID = 18;

    /** A Mono, which is repeated for more elements and whose element is ignored for none. */
    abstract static class MonoRules<T> extends PublisherRules<T> {

        abstract Mono<T> mono();

        /** Makes sure that the operation can end so often. */
        void prepare(long times) {
        }

        @Override
        final Publisher<T> publisher(long elements) {
            prepare(Math.max(1, elements));
            if (elements == 0) {
                return mono().doOnNext(this::release).then(Mono.empty());
            }
            return elements == 1 ? mono() : mono().repeat(elements - 1);
        }
    }

    /** An operation that has no result. */
    @Nested
    class SendRules extends MonoRules<Void> {

        @Override
        Mono<Void> mono() {
            return peers.client().activeMessages().send(ID, Bytes.zeroed(1));
        }

        @Override
        Publisher<Void> failed() {
            UcxBuffer released = peers.clientResources().buffers().acquire(1);
            released.release();
            return peers.client().activeMessages().send(ID, MemorySegment.NULL, released, AmProtocol.AUTO);
        }

        @Override
        long mostElements() {
            // However often it is repeated.
            return 0;
        }
    }

    /** A receive of one tag. */
    @Nested
    class TagReceiveRules extends MonoRules<TaggedMessage> {

        private long tag;

        @Override
        void prepare(long times) {
            tag++;
            // Some rules have three subscribers.
            Flux.range(0, 3 * (int) Math.min(times, MAX_SENT))
                    .concatMap(number -> peers.client().tags().send(tag, Bytes.zeroed(1)))
                    .then().block(Waits.PATIENCE);
        }

        @Override
        Mono<TaggedMessage> mono() {
            return peers.served().tags().receive(tag, Bytes.zeroed(1));
        }
    }

    /** One read. */
    @Nested
    class GetRules extends MonoRules<MemorySegment> {

        @Override
        Mono<MemorySegment> mono() {
            return remoteMemory(this).get(0, Bytes.zeroed(PublisherRules.MAX_SENT));
        }
    }

    /** One atomic operation. */
    @Nested
    class AtomicRules extends MonoRules<Long> {

        @BeforeEach
        void assumeAtomics() {
            assumeTrue(peers != null, "nothing is connected");
            UcpSupport support = peers.clientResources().context()
                    .support(UcpCapability.ATOMICS_64, peers.client().errorMode());
            assumeTrue(support.isSupported(), support.reason());
        }

        @Override
        Mono<Long> mono() {
            return remoteMemory(this).atomics().fetchAdd(0, 1);
        }
    }

    /** Many reads. */
    @Nested
    class GetFluxRules extends PublisherRules<UcxBuffer> {

        @Override
        Publisher<UcxBuffer> publisher(long elements) {
            return remoteMemory(this).getFlux(0, Math.min(elements, MAX_SENT), 1, 4);
        }

        @Override
        void release(UcxBuffer element) {
            element.release();
        }
    }

    private static RemoteMemory remoteMemory(PublisherRules<?> rules) {
        UcpMemory exported = rules.closeAfterwards(rules.peers.serverResources()
                .allocateMemory(PublisherRules.MAX_SENT));
        RemoteMemory remote = rules.peers.client().memory(MemoryDescriptor.fromBytes(exported.descriptor().toBytes()));
        rules.closeAfterwards(() -> Waits.engineOf(rules.peers.client()));
        rules.closeAfterwards(remote::close);
        // What the rules have cancelled is still under way: where UCX emulates it, the owner's side would read memory
        // that is gone.
        rules.closeAfterwards(() -> rules.peers.client().flush().block(Waits.PATIENCE));
        return remote;
    }

    /** A client that connects. */
    @Nested
    class ConnectRules extends MonoRules<UcxConnection> {

        @Override
        Mono<UcxConnection> mono() {
            return peers.unconnected().connect();
        }

        @Override
        void release(UcxConnection element) {
            closeAfterwards(element::disposeNow);
        }

        @Override
        long mostElements() {
            return 1;
        }
    }

    /** A server that binds. */
    @Nested
    class BindRules extends MonoRules<UcxBoundServer> {

        @Override
        Mono<UcxBoundServer> mono() {
            return UcxServer.create(peers.serverResources()).bindAddress("127.0.0.1", 0).bind();
        }

        @Override
        void release(UcxBoundServer element) {
            closeAfterwards(element::disposeNow);
        }

        @Override
        long mostElements() {
            return 1;
        }

        @Override
        Publisher<UcxBoundServer> failed() {
            return UcxServer.create(peers.serverResources()).bindAddress("127.0.0.1", peers.server().port()).bind();
        }
    }
}
