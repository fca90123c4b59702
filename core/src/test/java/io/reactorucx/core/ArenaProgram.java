package io.reactorucx.core;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Closes an arena while an operation uses its memory, then lets the operation end. Arguments: a transport, the
 * operation, and whose arena: {@code own} for this library's, {@code shared} for Java's, {@code patient} for Java's
 * that is closed at the end.
 */
final class ArenaProgram {

    private static final int BYTES = 4 << 20;

    private ArenaProgram() {
    }

    public static void main(String[] arguments) {
        Link link = "tcp".equals(arguments[0]) ? Link.TCP_PEER : Link.POSIX_PEER;
        boolean own = "own".equals(arguments[2]);
        boolean patient = "patient".equals(arguments[2]);
        Arena arena = own ? UcxArena.ofShared() : Arena.ofShared();
        try (Pair pair = Pair.of(link); UcpMemory remote = pair.context.register(Pair.pattern(BYTES));
                UcpRemoteKey key = pair.toServer.unpack(remote.descriptor())) {
            MemorySegment memory = arena.allocate(BYTES).fill((byte) 1);
            Outcome pending = switch (arguments[1]) {
                case "receive" -> {
                    Outcome received = new Outcome();
                    pair.server.tags().receive(memory, null, 1, -1, received);
                    yield received;
                }
                case "get" -> Outcome.of(done -> pair.toServer.get(memory, null, key, 0, done));
                default -> Outcome.of(done -> pair.toServer.tagSend(memory, null, 1, done));
            };
            System.out.println(pending.isDone() ? "done" : "in flight");
            RuntimeException thrown = null;
            if (!patient) {
                try {
                    arena.close();
                } catch (IllegalStateException e) {
                    thrown = e;
                }
            }
            // Other memory takes the addresses of what was freed.
            MemorySegment other = Pair.pattern(BYTES);
            switch (arguments[1]) {
                case "receive" -> pair.run(done -> pair.toServer.tagSend(other, null, 1, done));
                case "rendezvous" -> {
                    Outcome received = new Outcome();
                    pair.server.tags().receive(other, null, 1, -1, received);
                    pair.awaitOk(received);
                }
                default -> { }
            }
            pair.awaitOk(pending);
            pair.assertStillWorks();
            System.out.println("ended in order");
            if (thrown != null) {
                throw thrown;
            }
        }
        arena.close();
    }
}
