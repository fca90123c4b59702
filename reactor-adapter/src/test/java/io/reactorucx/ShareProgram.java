package io.reactorucx;

import io.reactorucx.core.ErrorMode;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.shm.ProcessIdentity;
import io.reactorucx.internal.concurrent.EngineCall;
import io.reactorucx.transport.frame.BindFrame;
import io.reactorucx.transport.frame.ControlFields;
import io.reactorucx.transport.frame.ControlFrame;
import io.reactorucx.transport.handshake.ClientHandshake;
import io.reactorucx.transport.handshake.ConnectionIdentity;
import io.reactorucx.transport.handshake.PeerInfo;
import io.reactorucx.transport.handshake.Rejection;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;

/** A client process of {@link ClientShareTest}, which takes what it is told on its input. */
final class ShareProgram {

    static final String WORKERS = "workers ";
    static final String ANSWER = "answer ";
    static final String WELL = ANSWER + "well";

    private final UcxResources resources;
    private final List<byte[]> addresses = new ArrayList<>();
    private final List<Object> open = new ArrayList<>();
    private final CountDownLatch goesOn = new CountDownLatch(1);

    private ShareProgram(int workers, String[] transports) {
        resources = UcxResources.builder().engines(workers).transports(transports).build();
        for (int i = 0; i < workers; i++) {
            addresses.add(Objects.requireNonNull(resources.workerAddress(i).block(Waits.PATIENCE)));
        }
    }

    /**
     * The process.
     *
     * @param args the number of workers, then transports
     */
    public static void main(String[] args) throws IOException {
        ShareProgram program = new ShareProgram(Integer.parseInt(args[0]), args[1].split(","));
        System.out.println(WORKERS + String.join(" ", program.addresses.stream().map(HexFormat.of()::formatHex)
                .toList()));
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                System.out.println(ANSWER + program.done(line.split(" ")));
            }
        }
        program.goesOn.countDown();
        program.resources.disposeNow();
    }

    private String done(String[] command) {
        switch (command[0]) {
            case "stall" -> resources.engines().forEach(engine -> EngineCall.mono(engine, worker -> {
                awaitGoOn();
                return worker;
            }).subscribe());
            case "go" -> goesOn.countDown();
            case "connect" -> {
                return connect(Integer.parseInt(command[1]));
            }
            case "hold" -> {
                return hold(Integer.parseInt(command[1]), addresses.get(Integer.parseInt(command[2])));
            }
            default -> throw new IllegalArgumentException(command[0]);
        }
        return "well";
    }

    private void awaitGoOn() {
        try {
            goesOn.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private String connect(int port) {
        try {
            open.add(UcxClient.create(resources).remoteAddress("127.0.0.1", port).connectNow());
            return "well";
        } catch (UcxException e) {
            return e.getMessage();
        }
    }

    /** Does the handshake, gives the address of a worker, and never takes part in the wire-up of its endpoint. */
    private String hold(int port, byte[] address) {
        SocketPeer client = SocketPeer.connect(port);
        open.add(client);
        PeerInfo like = HandshakePair.facts(ErrorMode.PEER, ByteOrder.nativeOrder(), 0, 11);
        return hold(client, address, new PeerInfo(like.ucxVersion(), like.errorMode(), like.byteOrder(),
                like.limits(), 0, like.workerId(), ProcessIdentity.self(), false));
    }

    /** Returns {@code well} when the server has taken the address, or why not. */
    static String hold(SocketPeer client, byte[] address, PeerInfo facts) {
        ConnectionIdentity identity = new ConnectionIdentity(address);
        HandshakePair.Said said = new HandshakePair.Said();
        ClientHandshake handshake = new ClientHandshake(facts, identity, ControlFields.NONE, null,
                HandshakePair.IMMEDIATE, "the server", said);
        handshake.start();
        client.send(said.frames.remove().toBytes());
        try {
            byte[] welcome = client.next();
            byte[] next = Rejection.parse(welcome) == null ? client.next() : welcome;
            Rejection rejection = Rejection.parse(next);
            if (rejection != null) {
                return rejection.status() + " " + rejection.reason();
            }
            handshake.received(Objects.requireNonNull(ControlFrame.parse(welcome)));
            client.send(new BindFrame(BindFrame.Type.ADDRESS, identity.peerToken(), 0, address).toBytes());
            return "well";
        } catch (UncheckedIOException e) {
            return "cut off without a reason: " + e.getCause();
        }
    }
}
