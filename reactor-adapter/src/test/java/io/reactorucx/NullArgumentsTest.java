package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.buffer.UcxBufferPool;
import io.reactorucx.core.UcpConfig;
import io.reactorucx.core.UcpContext;
import io.reactorucx.core.UcpWorker;
import io.reactorucx.core.UcpWorkerConfig;
import io.reactorucx.core.shm.LargePages;
import io.reactorucx.engine.EngineConfig;
import io.reactorucx.testsupport.NoLeaks;
import io.reactorucx.testsupport.NullArguments;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/** Null, given to each public method of the core, the engine and the adapter. */
@Tag("slow")
@ExtendWith(NoLeaks.class)
class NullArgumentsTest implements NeedsUcx {

    private static final Duration LIMIT = Duration.ofSeconds(2);
    private static final Set<String> PACKAGES = Set.of("io.reactorucx", "io.reactorucx.core",
            "io.reactorucx.core.error", "io.reactorucx.core.setting", "io.reactorucx.core.shm", "io.reactorucx.engine",
            "io.reactorucx.buffer", "io.reactorucx.codec", "io.reactorucx.connection", "io.reactorucx.memory",
            "io.reactorucx.message", "io.reactorucx.metrics", "io.reactorucx.observation", "io.reactorucx.security",
            "io.reactorucx.transport", "io.reactorucx.transport.metrics");

    private static @Nullable Object awaited(@Nullable Object returned) {
        return returned instanceof Publisher<?> publisher ? Flux.from(publisher).blockLast(LIMIT) : returned;
    }

    @Test
    void eachIsNamed() {
        Route route = Route.values()[0];
        try (Peers peers = Peers.connect(route);
                UcpContext context = UcpContext.create(UcpConfig.builder().build());
                UcpWorker worker = context.createWorker(UcpWorkerConfig.of("null"));
                Arena arena = Arena.ofShared()) {
            UcxConnection connection = peers.client();
            UcxBufferPool pool = peers.clientResources().buffers();
            UcxBuffer buffer = pool.acquire(8);
            NullArguments calls = new NullArguments(NullArgumentsTest::awaited)
                    .with(UcxResources.class, peers.clientResources()).with(UcxClient.class, peers.unconnected())
                    .with(UcxServer.class, UcxServer.create(peers.serverResources()))
                    .with(UcxBoundServer.class, peers.server()).with(UcxConnection.class, connection)
                    .with(UcxRequester.class, connection.requester()).with(UcxInbound.class, connection.inbound())
                    .with(UcxOutbound.class, connection.outbound()).with(UcxBufferPool.class, pool)
                    .with(UcxBuffer.class, buffer).with(EngineConfig.class, EngineConfig.of("null"))
                    .with(UcpContext.class, context).with(UcpWorker.class, worker)
                    .with(InetSocketAddress.class, new InetSocketAddress("127.0.0.1", 1))
                    .with(UcxResourcesBuilder.class, UcxResources.builder())
                    .with(long.class, LargePages.BYTES).with(byte[].class, worker.address())
                    .with(MemorySegment.class, arena.allocate(8))
                    .call(new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
                            .importPackages("io.reactorucx").stream()
                            .filter(type -> PACKAGES.contains(type.getPackageName()))
                            .map(JavaClass::reflect));
            buffer.release();

            assertThat(calls.wrong()).as("%s calls", calls.tried()).isEmpty();
            assertThat(calls.tried()).isGreaterThan(100);
        }
    }
}
