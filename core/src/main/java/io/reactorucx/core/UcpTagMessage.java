package io.reactorucx.core;

/**
 * A tagged message that was taken out of the queue of those that wait ({@code ucp_tag_message_h}): no other receive
 * gets it.
 *
 * <p><b>Threading:</b> reading is safe from any thread. <b>Ownership:</b> {@link UcpTags#receive(UcpTagMessage,
 * UcpData, Completion)} it exactly once, or its sender may wait for ever and its memory leaks; a worker with such
 * messages refuses to close. <b>Errors:</b> a second receive throws {@link IllegalStateException}.
 */
public final class UcpTagMessage {

    private final UcpTagInfo info;
    private final long handle;

    UcpTagMessage(UcpTagInfo info, long handle) {
        this.info = info;
        this.handle = handle;
    }

    /** {@return the sender's tag} */
    public long tag() {
        return info.tag();
    }

    /** {@return size in bytes} */
    public long length() {
        return info.length();
    }

    long handle() {
        return handle;
    }
}
