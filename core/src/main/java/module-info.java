/**
 * Safe Java objects over UCX (the API of UCP, and the memory domains of UCT), on the generated bindings that this
 * module keeps to itself.
 */
module io.reactorucx.core {
    requires static transitive org.jspecify;
    requires org.slf4j;

    exports io.reactorucx.core;
    exports io.reactorucx.core.uct;
}
