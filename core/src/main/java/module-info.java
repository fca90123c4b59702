/** Safe Java objects over UCP, the upper of UCX's two APIs, on generated bindings that no application sees. */
@SuppressWarnings("module") // Those that use it are built later.
module io.reactorucx.core {
    requires static transitive org.jspecify;
    requires org.slf4j;

    exports io.reactorucx.core;
    exports io.reactorucx.core.error;
    exports io.reactorucx.core.setting;

    exports io.reactorucx.core.shm to io.reactorucx, io.reactorucx.transport;

    exports io.reactorucx.core.ffi to io.reactorucx.uct;
    exports io.reactorucx.core.internal to io.reactorucx.uct;
    exports io.reactorucx.core.internal.memory to io.reactorucx.uct;
    exports io.reactorucx.core.internal.socket to io.reactorucx.uct;
}
