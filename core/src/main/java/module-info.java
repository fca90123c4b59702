/** Safe Java objects over UCP, the upper of UCX's two APIs, on generated bindings that no application sees. */
@SuppressWarnings("module") // That of UCT is built later.
module io.reactorucx.core {
    requires static transitive org.jspecify;
    requires org.slf4j;

    exports io.reactorucx.core;

    exports io.reactorucx.core.ffi to io.reactorucx.uct;
    exports io.reactorucx.core.internal to io.reactorucx.uct;
}
