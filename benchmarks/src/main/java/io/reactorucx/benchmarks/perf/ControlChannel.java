package io.reactorucx.benchmarks.perf;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A TCP connection between client and server for lines of text, apart from the measured connection. Over it the server
 * learns what to create before UCX starts.
 *
 * <p>The server responds to each line of the client with a line that repeats the first word, or begins with
 * {@value #FAILED}.
 */
final class ControlChannel implements AutoCloseable {

    static final String FAILED = "failed";

    private static final int TIMEOUT_MILLIS = 60_000;

    private final Socket socket;
    private final BufferedReader in;
    private final BufferedWriter out;

    ControlChannel(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        out = new BufferedWriter(new OutputStreamWriter(socket.getOutputStream(), StandardCharsets.UTF_8));
    }

    static ControlChannel connect(String host, int port) {
        try {
            ControlChannel channel = new ControlChannel(new Socket(host, port));
            channel.socket.setSoTimeout(TIMEOUT_MILLIS);
            return channel;
        } catch (IOException e) {
            throw new UncheckedIOException("--connect " + host + ":" + port + ": " + e.getMessage(), e);
        }
    }

    /** The address of this side, to which the peer connected. */
    InetAddress localAddress() {
        return socket.getLocalAddress();
    }

    /** Sends a request; returns the text after the repeated word. */
    String ask(String word, String arguments) {
        try {
            say(word, arguments);
            String answer = in.readLine();
            if (answer == null) {
                throw new IllegalStateException("the server has gone");
            }
            if (answer.startsWith(FAILED)) {
                throw new IllegalStateException("the server: " + answer.substring(FAILED.length()).strip());
            }
            if (!answer.startsWith(word)) {
                throw new IllegalStateException("the server answered '" + word + "' with '" + answer + "'");
            }
            return answer.substring(word.length()).strip();
        } catch (IOException e) {
            throw new UncheckedIOException("no answer of the server to '" + word + "'", e);
        }
    }

    /** Sends a line without a response. A server that has ended is ignored. */
    void sayLast(String word) {
        try {
            say(word, "");
        } catch (IOException e) {
            // The server has already ended.
        }
    }

    /** The next line, or null at the end. */
    @Nullable String read() throws IOException {
        return in.readLine();
    }

    void say(String word, String arguments) throws IOException {
        out.append(word).append(' ').append(arguments).append('\n').flush();
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
