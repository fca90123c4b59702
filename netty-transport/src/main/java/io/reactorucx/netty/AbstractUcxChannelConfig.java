package io.reactorucx.netty;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The options that channels over UCX have whatever their socket is.
 *
 * <p>Thread: any.
 */
abstract class AbstractUcxChannelConfig extends DefaultChannelConfig {

    /** The default of {@code SO_SNDBUF}. */
    static final int SEND_BYTES = 64 << 10;

    private final ChannelConfig socket;
    private final Runnable whenNotToRead;
    private volatile boolean allowHalfClosure;
    /** 0 while none was set, as with the next. */
    private volatile int sendBytes;
    private volatile int windowBytes;
    private volatile int linger = -1;
    /** Null while none was set. */
    private volatile @Nullable Boolean plainTcp;
    /** Whether the bytes go over the socket, which then has the same options. */
    private volatile boolean isPlain;

    /**
     * The options of a channel.
     *
     * @param whenNotToRead runs when the channel is not to read by itself any more
     */
    AbstractUcxChannelConfig(Channel channel, ChannelConfig socket, @Nullable Boolean plainTcp,
            Runnable whenNotToRead) {
        super(channel);
        this.socket = socket;
        this.whenNotToRead = whenNotToRead;
        this.plainTcp = plainTcp;
    }

    /** Returns {@link UcxChannelOption#PLAIN_TCP}, null while it was not set. */
    final @Nullable Boolean plainTcp() {
        return plainTcp;
    }

    /** The bytes go over the socket from now on: it gets the options, those too that are set later. */
    final void becomePlain() {
        isPlain = true;
        socket.setAutoClose(false);
        socket.setAllocator(getAllocator());
        socket.setWriteSpinCount(getWriteSpinCount());
        socket.setOption(ChannelOption.ALLOW_HALF_CLOSURE, allowHalfClosure);
        socket.setOption(ChannelOption.SO_LINGER, linger);
        if (sendBytes > 0) {
            socket.setOption(ChannelOption.SO_SNDBUF, sendBytes);
        }
        if (windowBytes > 0) {
            socket.setOption(ChannelOption.SO_RCVBUF, windowBytes);
        }
    }

    /** Has a close of the socket reset it, if such a socket can be reset. */
    final void resetSocketAtClose() {
        socket.setOption(ChannelOption.SO_LINGER, 0);
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        return getOptions(super.getOptions(), ChannelOption.SO_RCVBUF, ChannelOption.SO_SNDBUF,
                ChannelOption.SO_LINGER, ChannelOption.ALLOW_HALF_CLOSURE, UcxChannelOption.PLAIN_TCP);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> T getOption(ChannelOption<T> option) {
        if (option == ChannelOption.SO_RCVBUF) {
            return (T) Integer.valueOf(getReceiveBufferSize());
        } else if (option == ChannelOption.SO_SNDBUF) {
            return (T) Integer.valueOf(getSendBufferSize());
        } else if (option == ChannelOption.SO_LINGER) {
            return (T) Integer.valueOf(getSoLinger());
        } else if (option == ChannelOption.ALLOW_HALF_CLOSURE) {
            return (T) Boolean.valueOf(isAllowHalfClosure());
        } else if (option == UcxChannelOption.PLAIN_TCP) {
            return (T) Boolean.valueOf(isPlain || Boolean.TRUE.equals(plainTcp));
        }
        return super.getOption(option);
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        validate(option, value);
        if (option == ChannelOption.SO_RCVBUF) {
            setReceiveBufferSize((Integer) value);
        } else if (option == ChannelOption.SO_SNDBUF) {
            setSendBufferSize((Integer) value);
        } else if (option == ChannelOption.SO_LINGER) {
            setSoLinger((Integer) value);
        } else if (option == ChannelOption.ALLOW_HALF_CLOSURE) {
            setAllowHalfClosure((Boolean) value);
        } else if (option == UcxChannelOption.PLAIN_TCP) {
            plainTcp = (Boolean) value;
        } else {
            return super.setOption(option, value);
        }
        return true;
    }

    /** Returns the window, that of the loop unless another was set, which is the channel's from then on. */
    final int openWindow(int ofLoop) {
        if (windowBytes == 0) {
            windowBytes = ofLoop;
        }
        return windowBytes;
    }

    @Override
    protected final void autoReadCleared() {
        whenNotToRead.run();
    }

    private <T> void setIfPlain(ChannelOption<T> option, T value) {
        if (isPlain) {
            socket.setOption(option, value);
        }
    }

    /** {@return how many seconds a close waits for the peer to have all, 0 for a reset, -1 for neither} */
    public int getSoLinger() {
        return linger;
    }

    AbstractUcxChannelConfig setSoLinger(int soLinger) {
        linger = Math.max(-1, soLinger);
        setIfPlain(ChannelOption.SO_LINGER, linger);
        return this;
    }

    /** {@return how many written bytes may wait for the peer} */
    public int getSendBufferSize() {
        return isPlain ? socket.getOption(ChannelOption.SO_SNDBUF) : sendBytes == 0 ? SEND_BYTES : sendBytes;
    }

    AbstractUcxChannelConfig setSendBufferSize(int sendBufferSize) {
        if (sendBufferSize < 1) {
            throw new IllegalArgumentException("sendBufferSize " + sendBufferSize + ": must be at least 1");
        }
        sendBytes = sendBufferSize;
        setIfPlain(ChannelOption.SO_SNDBUF, sendBufferSize);
        return this;
    }

    /** {@return the window of the channel's bytes} */
    public int getReceiveBufferSize() {
        return isPlain ? socket.getOption(ChannelOption.SO_RCVBUF)
                : windowBytes == 0 ? UcxNettyConfig.DEFAULT.windowBytes() : windowBytes;
    }

    AbstractUcxChannelConfig setReceiveBufferSize(int receiveBufferSize) {
        if (receiveBufferSize < 1) {
            throw new IllegalArgumentException("receiveBufferSize " + receiveBufferSize + ": must be at least 1");
        }
        windowBytes = UcxNettyConfig.checkWindow(Math.max(UcxNettyConfig.MIN_WINDOW_BYTES,
                Math.min(receiveBufferSize, UcxNettyConfig.MAX_WINDOW_BYTES)));
        setIfPlain(ChannelOption.SO_RCVBUF, receiveBufferSize);
        return this;
    }

    /** {@return whether the channel stays open when the peer sends no more} */
    public boolean isAllowHalfClosure() {
        return allowHalfClosure;
    }

    AbstractUcxChannelConfig setAllowHalfClosure(boolean value) {
        allowHalfClosure = value;
        setIfPlain(ChannelOption.ALLOW_HALF_CLOSURE, value);
        return this;
    }

    @Override
    public AbstractUcxChannelConfig setWriteSpinCount(int writeSpinCount) {
        super.setWriteSpinCount(writeSpinCount);
        if (isPlain) {
            socket.setWriteSpinCount(writeSpinCount);
        }
        return this;
    }

    @Override
    public AbstractUcxChannelConfig setAllocator(ByteBufAllocator allocator) {
        super.setAllocator(allocator);
        if (isPlain) {
            socket.setAllocator(allocator);
        }
        return this;
    }
}
