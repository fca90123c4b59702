package io.reactorucx.engine;

import io.reactorucx.core.Completion;
import io.reactorucx.core.UcpWorker;
import org.jspecify.annotations.Nullable;

/** An operation that a test posts in its own way and that records its outcome. Thread: engine. */
final class TestOperation extends Operation {

    /** How it is posted. */
    @FunctionalInterface
    interface Post {
        boolean post(UcpWorker worker, Completion whenDone);
    }

    private final ProgressEngine engine;
    private final OperationKind kind;
    private final Post post;
    private final long bytes;
    private Runnable then = () -> { };
    private int posts;
    private int successes;
    private int failures;
    private long length = -1;
    private long tag = -1;
    private @Nullable RuntimeException error;

    TestOperation(ProgressEngine engine, OperationKind kind, long bytes, Post post) {
        this.engine = engine;
        this.kind = kind;
        this.post = post;
        this.bytes = bytes;
    }

    /** One that is done as soon as it is posted. */
    static TestOperation inline(ProgressEngine engine) {
        return new TestOperation(engine, OperationKind.FLUSH, 0, (worker, whenDone) -> true);
    }

    /** An action to run when it has succeeded or failed. */
    TestOperation then(Runnable action) {
        then = action;
        return this;
    }

    @Override
    protected ProgressEngine engine() {
        return engine;
    }

    @Override
    public OperationKind kind() {
        return kind;
    }

    @Override
    protected boolean post(UcpWorker worker) {
        posts++;
        return post.post(worker, this);
    }

    @Override
    protected void succeeded(long receivedLength, long senderTag) {
        successes++;
        length = receivedLength;
        tag = senderTag;
        then.run();
    }

    @Override
    protected void failed(RuntimeException why) {
        failures++;
        error = why;
        then.run();
    }

    @Override
    protected long bytes(long receivedLength) {
        return bytes < 0 ? receivedLength : bytes;
    }

    @Override
    protected @Nullable String peer() {
        return "test peer";
    }

    int posts() {
        return posts;
    }

    int successes() {
        return successes;
    }

    int failures() {
        return failures;
    }

    int ends() {
        return successes + failures;
    }

    boolean isEnded() {
        return ends() > 0;
    }

    long length() {
        return length;
    }

    long tag() {
        return tag;
    }

    @Nullable RuntimeException error() {
        return error;
    }
}
