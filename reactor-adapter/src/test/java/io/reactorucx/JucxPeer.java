package io.reactorucx;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.openucx.jucx.UcxCallback;
import org.openucx.jucx.ucp.UcpAmData;
import org.openucx.jucx.ucp.UcpConnectionRequest;
import org.openucx.jucx.ucp.UcpConstants;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpEndpointParams;
import org.openucx.jucx.ucp.UcpListener;
import org.openucx.jucx.ucp.UcpListenerParams;
import org.openucx.jucx.ucp.UcpMemMapParams;
import org.openucx.jucx.ucp.UcpMemory;
import org.openucx.jucx.ucp.UcpParams;
import org.openucx.jucx.ucp.UcpRemoteKey;
import org.openucx.jucx.ucp.UcpRequest;
import org.openucx.jucx.ucp.UcpRequestParams;
import org.openucx.jucx.ucp.UcpWorker;
import org.openucx.jucx.ucp.UcpWorkerParams;
import org.openucx.jucx.ucs.UcsConstants;

/**
 * A peer that knows nothing of this library: a program over JUCX, UCX's own binding for Java, in a process of its own.
 * It does what the lines of its standard input say, one after the other, and prints what came of each.
 *
 * <p>Of the code under test it uses nothing; {@link Bytes} is the tests'.
 */
final class JucxPeer {

    static final String LIBRARY = "library ";
    static final String UNAVAILABLE = LIBRARY + "not loaded: ";
    static final String READY = "ready ";
    static final String CONNECTED = "connected";
    static final String SENT = "sent";
    static final String RECEIVED = "received ";
    static final String FLUSHED = "flushed";
    static final String GOT = "got ";
    static final String CONTENT = "content ";
    static final String LOST = "lost ";
    static final String ENDED = "ended";

    /** The active message that carries a memory descriptor, in both directions. */
    static final int DESCRIPTOR_ID = 7;
    /** The active message that is printed when it has come. */
    static final int DATA_ID = 8;
    static final long TAG = 0x1234_5678_9ABC_DEF0L;

    private static final int MAGIC = 0x52554d44;
    private static final byte VERSION = 1;
    private static final int FIXED_BYTES = 23;
    /** JUCX of a newer UCX numbers the unknown type otherwise than an older library does. */
    private static final UcpRequestParams HOST = new UcpRequestParams()
            .setMemoryType(UcsConstants.MEMORY_TYPE.UCS_MEMORY_TYPE_HOST);

    private final Queue<String> commands = new ConcurrentLinkedQueue<>();
    private final UcpContext context;
    private final UcpWorker worker;
    private UcpListener listener;
    private UcpEndpoint endpoint;
    private UcpMemory memory;
    private MemorySegment memoryContent;
    private ByteBuffer descriptor;

    private JucxPeer() {
        context = new UcpContext(new UcpParams().requestAmFeature().requestTagFeature().requestRmaFeature());
        worker = context.newWorker(new UcpWorkerParams());
        worker.setAmRecvHandler(DATA_ID, (header, headerLength, data, replyTo) -> arrived(header, headerLength, data));
        worker.setAmRecvHandler(DESCRIPTOR_ID, (header, headerLength, data, replyTo) -> {
            descriptor = ByteBuffer.wrap(Bytes.array(MemorySegment.ofAddress(data.getDataAddress())
                    .reinterpret(data.getLength())));
            return UcsConstants.STATUS.UCS_OK;
        }, UcpConstants.UCP_AM_FLAG_WHOLE_MSG);
    }

    /**
     * The process.
     *
     * @param args nothing for a server, the port for a client
     */
    public static void main(String[] args) throws Exception {
        JucxPeer peer;
        try {
            peer = new JucxPeer();
        } catch (LinkageError e) {
            System.out.println(UNAVAILABLE + (e.getCause() == null ? e : e.getCause()));
            return;
        }
        try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
            System.out.println(LIBRARY + maps.filter(line -> line.contains("/libucp.so"))
                    .map(line -> line.substring(line.indexOf('/')))
                    .distinct().collect(Collectors.joining(" ")));
        }
        if (args.length == 0) {
            peer.listen();
        } else {
            peer.connect(new UcpEndpointParams().setSocketAddress(new InetSocketAddress("127.0.0.1",
                    Integer.parseInt(args[0]))));
        }
        Thread.ofPlatform().daemon().start(peer::readCommands);
        peer.run();
        peer.close();
        System.out.println(ENDED);
    }

    private void listen() {
        listener = worker.newListener(new UcpListenerParams().setSockAddr(new InetSocketAddress("127.0.0.1", 0))
                .setConnectionHandler(this::requested));
        System.out.println(READY + listener.getAddress().getPort());
    }

    private void requested(UcpConnectionRequest request) {
        connect(new UcpEndpointParams().setConnectionRequest(request));
    }

    private void connect(UcpEndpointParams params) {
        endpoint = worker.newEndpoint(params.setPeerErrorHandlingMode()
                .setErrorHandler((failed, status, message) -> System.out.println(LOST + message)));
        System.out.println(CONNECTED);
    }

    private void readCommands() {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                commands.add(line);
            }
        } catch (IOException e) {
            e.printStackTrace();
        }
        commands.add("end");
    }

    private void run() throws Exception {
        for (String line = ""; !line.equals("end"); line = commands.poll()) {
            if (line != null && !line.isEmpty()) {
                execute(line.split(" "));
            }
            while (commands.isEmpty()) {
                if (worker.progress() == 0) {
                    Thread.yield();
                }
            }
        }
    }

    private void execute(String[] words) throws Exception {
        int number = words.length > 1 ? Integer.parseInt(words[1]) : 0;
        switch (words[0]) {
            case "sendTagged" -> {
                MemorySegment data = Bytes.pattern(number, number);
                await(endpoint.sendTaggedNonBlocking(data.address(), number, TAG, null, HOST));
                System.out.println(SENT);
            }
            case "receiveTagged" -> {
                MemorySegment room = Bytes.zeroed(number);
                // UCX before 1.16 does not tell JUCX size and tag of a message that was there first.
                await(worker.recvTaggedNonBlocking(room.address(), number, TAG, -1, null, HOST));
                System.out.println(RECEIVED + digest(room));
            }
            case "sendEager" -> sendActiveMessage(number, UcpConstants.UCP_AM_SEND_FLAG_EAGER);
            case "sendRendezvous" -> sendActiveMessage(number, UcpConstants.UCP_AM_SEND_FLAG_RNDV);
            case "share" -> share(number);
            case "content" -> System.out.println(CONTENT + digest(memoryContent));
            case "put" -> put(number);
            case "get" -> get();
            default -> throw new IllegalArgumentException(String.join(" ", words));
        }
    }

    private void await(UcpRequest request) throws Exception {
        while (!request.isCompleted()) {
            worker.progress();
        }
        if (request.getStatus() != UcsConstants.STATUS.UCS_OK) {
            throw new IllegalStateException("status " + request.getStatus());
        }
    }

    private void sendActiveMessage(int bytes, long flags) throws Exception {
        MemorySegment header = Bytes.pattern(bytes + 1, 16);
        MemorySegment data = Bytes.pattern(bytes, bytes);
        await(endpoint.sendAmNonBlocking(DATA_ID, header.address(), header.byteSize(), data.address(), bytes, flags,
                null, HOST));
        System.out.println(SENT);
    }

    private int arrived(long header, long headerLength, UcpAmData data) {
        String start = RECEIVED + (data.isDataValid() ? "eager " : "rendezvous ") + data.getLength() + " "
                + HexFormat.of().formatHex(Bytes.array(MemorySegment.ofAddress(header).reinterpret(headerLength)))
                + " ";
        if (data.isDataValid()) {
            System.out.println(start + digest(MemorySegment.ofAddress(data.getDataAddress())
                    .reinterpret(data.getLength())));
            return UcsConstants.STATUS.UCS_OK;
        }
        MemorySegment room = Bytes.zeroed(data.getLength());
        worker.recvAmDataNonBlocking(data.getDataHandle(), room.address(), room.byteSize(), new UcxCallback() {
            @Override
            public void onSuccess(UcpRequest request) {
                System.out.println(start + digest(room));
            }
        }, HOST);
        return UcsConstants.STATUS.UCS_INPROGRESS;
    }

    private static String digest(MemorySegment content) {
        return HexFormat.of().formatHex(Bytes.sha256(content));
    }

    /**
     * Registers memory, and sends what is needed to reach it: magic, version, address, length, size of the key, key,
     * all big-endian.
     */
    private void share(int bytes) throws Exception {
        memoryContent = Bytes.pattern(bytes, bytes);
        memory = context.memoryMap(new UcpMemMapParams().setAddress(memoryContent.address()).setLength(bytes)
                .setMemoryType(UcsConstants.MEMORY_TYPE.UCS_MEMORY_TYPE_HOST));
        ByteBuffer key = memory.getRemoteKeyBuffer();
        byte[] message = ByteBuffer.allocate(FIXED_BYTES + key.remaining()).putInt(MAGIC).put(VERSION)
                .putLong(memoryContent.address())
                .putLong(bytes).putShort((short) key.remaining()).put(key).array();
        MemorySegment data = Bytes.zeroed(message.length).copyFrom(MemorySegment.ofArray(message));
        await(endpoint.sendAmNonBlocking(DESCRIPTOR_ID, 0, 0, data.address(), message.length, 0, null, HOST));
        System.out.println(SENT);
    }

    private interface RemoteUse {

        void use(long address, long length, UcpRemoteKey key) throws Exception;
    }

    /** Opens the memory that the other side has sent the descriptor of. */
    private void withRemoteMemory(RemoteUse use) throws Exception {
        while (descriptor == null) {
            worker.progress();
        }
        descriptor.rewind();
        if (descriptor.getInt() != MAGIC || descriptor.get() != VERSION) {
            throw new IllegalStateException("no descriptor");
        }
        long address = descriptor.getLong();
        long length = descriptor.getLong();
        ByteBuffer packed = ByteBuffer.allocateDirect(Short.toUnsignedInt(descriptor.getShort())).put(descriptor)
                .flip();
        try (UcpRemoteKey key = endpoint.unpackRemoteKey(packed)) {
            use.use(address, length, key);
        }
    }

    /** The last use of the descriptor: the next one is another. */
    private void put(int seed) throws Exception {
        withRemoteMemory((address, length, key) -> {
            MemorySegment data = Bytes.pattern(seed, length);
            await(endpoint.putNonBlocking(data.address(), length, address, key, null, HOST));
            await(endpoint.flushNonBlocking(null));
        });
        descriptor = null;
        System.out.println(FLUSHED);
    }

    private void get() throws Exception {
        withRemoteMemory((address, length, key) -> {
            MemorySegment room = Bytes.zeroed(length);
            await(endpoint.getNonBlocking(address, key, room.address(), length, null, HOST));
            System.out.println(GOT + length + " " + digest(room));
        });
    }

    private void close() throws Exception {
        if (memory != null) {
            memory.deregister();
        }
        await(endpoint.closeNonBlockingFlush());
        if (listener != null) {
            listener.close();
        }
        worker.close();
        context.close();
    }
}
