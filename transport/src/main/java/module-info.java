/** Connections over UCX without Reactor: handshake, endpoints, control socket and registered memory. */
@SuppressWarnings("module") // The modules on top of it are built later.
module io.reactorucx.transport {
    requires transitive io.reactorucx.engine;
    requires static transitive org.jspecify;
    requires static jdk.jfr;
    requires static micrometer.core;
    requires static micrometer.commons;
    requires transitive org.slf4j;
    requires org.agrona;

    exports io.reactorucx.security;
    exports io.reactorucx.transport;
    exports io.reactorucx.transport.metrics;

    exports io.reactorucx.transport.buffer to io.reactorucx, io.reactorucx.netty;
    exports io.reactorucx.transport.carrier to io.reactorucx, io.reactorucx.netty;
    exports io.reactorucx.transport.command to io.reactorucx, io.reactorucx.netty;
    exports io.reactorucx.transport.config to io.reactorucx, io.reactorucx.netty;
    exports io.reactorucx.transport.connect to io.reactorucx, io.reactorucx.netty;
    exports io.reactorucx.transport.connection to io.reactorucx, io.reactorucx.netty;
    exports io.reactorucx.transport.counter to io.reactorucx;
    exports io.reactorucx.transport.encryption to io.reactorucx, io.reactorucx.netty;
    exports io.reactorucx.transport.endpoint to io.reactorucx, io.reactorucx.netty;
    exports io.reactorucx.transport.event to io.reactorucx;
    exports io.reactorucx.transport.frame to io.reactorucx, io.reactorucx.netty;
    exports io.reactorucx.transport.handshake to io.reactorucx, io.reactorucx.netty;
    exports io.reactorucx.transport.ring to io.reactorucx, io.reactorucx.netty;
    exports io.reactorucx.transport.socket to io.reactorucx, io.reactorucx.netty;
}
