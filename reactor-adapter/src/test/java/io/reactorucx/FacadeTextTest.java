package io.reactorucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactorucx.core.AmProtocol;
import io.reactorucx.memory.MemoryRight;
import io.reactorucx.memory.UcxMemoryWindow;
import io.reactorucx.message.ActiveMessage;
import io.reactorucx.testsupport.NoLeaks;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.util.retry.Retry;

/** The objects of a connection say what they are, and of which peer. */
@ExtendWith(NoLeaks.class)
class FacadeTextTest implements NeedsUcx {

    private static final int ID = 16;

    private Peers peers;
    private UcxConnection client;

    @BeforeEach
    void connect() {
        peers = Peers.connect(Route.TCP_BY_SOCKET_ADDRESS);
        client = peers.client();
    }

    @AfterEach
    void close() {
        peers.close();
    }

    @Test
    void facadesNameTheirPeer() {
        String peer = client.peer();
        assertThat(client.inbound()).hasToString("UcxInbound[" + peer + "]");
        assertThat(client.outbound()).hasToString("UcxOutbound[" + peer + "]");
        assertThat(client.requester()).hasToString("UcxRequester[" + peer + "]");
        assertThat(client.requester().withDeadline(Duration.ofSeconds(2)))
                .hasToString("UcxRequester[" + peer + ", deadline=2000 ms]");
        assertThat(client.activeMessages()).hasToString("ActiveMessages[" + peer + "]");
        assertThat(client.tags()).hasToString("Tags[" + peer + "]");
        assertThat(client.streams()).hasToString("ByteStream[" + peer + "]");
        assertThat(peers.unconnected().reconnect(Retry.max(1)))
                .hasToString("UcxReconnectingClient[UcxClient[" + peer + "]]");
    }

    @Test
    void memoryNamesItsOwner() {
        UcxMemoryWindow window = peers.serverResources().exportMemory(Bytes.zeroed(100), Set.of(MemoryRight.READ));
        RemoteMemory memory = client.memory(window.descriptor());
        assertThat(memory).hasToString("RemoteMemory[" + client.peer() + ", 100 bytes]");
        assertThat(memory.atomics()).hasToString("RemoteAtomics[" + memory + ", 8 bytes each]");
        assertThat(memory.intAtomics()).hasToString("RemoteAtomics[" + memory + ", 4 bytes each]");
        memory.close();
        window.revoke().block(Waits.PATIENCE);
    }

    @Test
    void messagesNameTheirSender() {
        Inbox inbox = Inbox.of(peers.served(), ID);
        String sender = ID + " of " + peers.served().peer();
        PendingOperation offered = PendingOperation.of(client.activeMessages()
                .send(ID, MemorySegment.NULL, Bytes.pattern(1, 70_000), AmProtocol.RENDEZVOUS));
        ActiveMessage offer = inbox.next();
        assertThat(offer).hasToString("ActiveMessage[" + sender + ", 70000 bytes, offer]");
        offer.discard();
        assertThat(offer).hasToString("ActiveMessage[" + sender + ", 70000 bytes, offer, taken]");
        offered.awaitEnd();
        client.activeMessages().send(ID, new byte[3]).block(Waits.PATIENCE);
        assertThat(inbox.next()).hasToString("ActiveMessage[" + sender + ", 3 bytes]");
        inbox.cancel();
    }

    @Test
    void lentConnectionSaysWhetherItWasReturned() {
        UcxConnectionPool pool = UcxConnectionPool.builder(peers.unconnected()).build();
        PooledConnection lent = pool.acquire().block(Waits.PATIENCE);
        assertThat(lent).hasToString("PooledConnection[" + lent.connection() + "]");
        lent.release().block(Waits.PATIENCE);
        assertThat(lent).asString().endsWith(", returned]");
        pool.disposeNow(Waits.PATIENCE);
    }

    /** What a connection, a client and a server give to the application has a text of its own. */
    @Test
    void whatIsGivenToTheApplicationHasAText() {
        assertThat(Stream.of(UcxConnection.class, UcxClient.class, UcxServer.class, UcxBoundServer.class,
                UcxResources.class, RemoteMemory.class, PooledConnection.class, UcxReconnectingClient.class)
                .flatMap(type -> Stream.concat(Stream.of(type), given(type))).distinct().toList())
                .hasSizeGreaterThan(12).allSatisfy(type -> assertThat(type.getMethod("toString").getDeclaringClass())
                .as(type.getName()).isNotEqualTo(Object.class));
    }

    private static Stream<? extends Class<?>> given(Class<?> type) {
        return Arrays.stream(type.getMethods()).filter(method -> !Modifier.isStatic(method.getModifiers()))
                .map(Method::getReturnType).filter(result -> result.getPackage() == UcxConnection.class.getPackage()
                && Modifier.isFinal(result.getModifiers()) && !result.getSimpleName().endsWith("Builder"));
    }
}
