/** Project Reactor on top of UCX: connections, active messages, tags and remote memory as Mono and Flux. */
@SuppressWarnings("module") // Those of the Netty and RSocket transports are built later.
module io.reactorucx {
    requires transitive io.reactorucx.engine;
    requires transitive io.reactorucx.transport;
    requires transitive reactor.core;
    requires transitive org.reactivestreams;
    requires static transitive org.jspecify;
    requires static micrometer.core;
    requires static micrometer.commons;
    requires static micrometer.observation;
    requires static HdrHistogram;
    requires transitive org.slf4j;
    requires reactor.pool;

    exports io.reactorucx;
    exports io.reactorucx.buffer;
    exports io.reactorucx.connection;
    exports io.reactorucx.memory;
    exports io.reactorucx.message;
    exports io.reactorucx.metrics;
    exports io.reactorucx.observation;

    exports io.reactorucx.internal.concurrent to io.reactorucx.rsocket;
    exports io.reactorucx.internal.message to io.reactorucx.rsocket;
    exports io.reactorucx.internal.message.batch to io.reactorucx.rsocket;
    exports io.reactorucx.internal.message.context to io.reactorucx.rsocket;
    exports io.reactorucx.internal.message.receive to io.reactorucx.rsocket;
}
