package io.reactorucx.testsupport;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;

/** The input and output of a program on one of {@link TwoHosts}: a line each for what is to be done and the outcome. */
public final class HostCommands {

    /** Binds a server at an address: {@code bind HOST}, answered by {@link #BOUND} and the port. */
    public static final String BIND = "bind ";
    /** The answer to {@link #BIND}. */
    public static final String BOUND = "bound ";
    /** Connects a client, and uses the connection: {@code connect HOST PORT}, answered by {@link #CONNECTED}. */
    public static final String CONNECT = "connect ";
    /** The answer to {@link #CONNECT}. */
    public static final String CONNECTED = "connected ";
    /** The answer where that has failed, followed by the error. */
    public static final String FAILED = "failed ";

    private static final String END = "end";
    /** Before each answer, among lines of the log. */
    private static final String ANSWER = "= ";

    private HostCommands() {
    }

    /**
     * The program: does what comes until its end.
     *
     * @param command gets the words of a line, and returns the answer
     * @param end runs at the end, and returns what is left
     */
    public static void run(Function<String[], String> command, Function<String, String> end) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.equals(END)) {
                System.out.println(ANSWER + end.apply(line));
                return;
            }
            System.out.println(ANSWER + answer(command, line));
        }
    }

    private static String answer(Function<String[], String> command, String line) {
        try {
            return command.apply(line.split(" "));
        } catch (RuntimeException e) {
            return FAILED + (e + (e.getCause() == null ? "" : " because of " + e.getCause())).replace('\n', ' ');
        }
    }

    /**
     * Sends a line and waits for the answer.
     *
     * @param host the program
     * @param line what it is to do
     * @return the answer
     */
    public static String ask(ChildJvm host, String line) {
        host.send(line);
        return host.awaitLine(ANSWER).substring(ANSWER.length());
    }

    /**
     * Ends a program.
     *
     * @param host the program
     * @return what it says of its end
     */
    public static String end(ChildJvm host) {
        return ask(host, END);
    }
}
