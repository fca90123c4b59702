package io.reactorucx.transport.connection;

/** Takes the operations of a connection that are under way, for a look at their ages. */
@FunctionalInterface
public interface OperationVisitor {

    /**
     * Takes one of them.
     *
     * @param operation an object that stays the same until the operation ends
     * @param name what it is: one of a few
     */
    void visit(Object operation, String name);
}
