package io.reactorucx.internal.message.simulation;

import io.reactorucx.buffer.UcxBuffer;
import io.reactorucx.codec.EncodedMessage;
import io.reactorucx.core.error.UcxClosedException;
import io.reactorucx.core.error.UcxException;
import io.reactorucx.core.error.UcxStatus;
import io.reactorucx.internal.frame.RequestHeader.Answer;
import io.reactorucx.internal.request.RequestExchange;
import io.reactorucx.message.UcxRequestException;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** One request: what is asked, what the responder does, and what the requester gets. */
final class SimulatedRequest implements CoreSubscriber<Object> {

    private final SimulatedSide side;
    private final int id;
    private final Answer answer;
    private final int responses;
    private final SimulatedSource.End end;
    private final boolean hasty;
    private SimulatedSource<UcxBuffer> requests;
    private Subscription subscription;
    private boolean started;
    private boolean cancelled;
    private int signals;
    private int got;
    private long requested;
    private Throwable error;

    SimulatedRequest(SimulatedSide side, int id) {
        this.side = side;
        this.id = id;
        Simulation simulation = side.simulation();
        this.answer = simulation.one(Answer.ONE, Answer.ONE, Answer.ONE, Answer.MANY, Answer.MANY, Answer.NONE,
                Answer.CHANNEL);
        this.responses = answer == Answer.NONE ? 0 : answer == Answer.ONE ? simulation.one(1, 1, 1, 0)
                : simulation.one(0, 1, 3, 30);
        this.end = simulation.below(10) < 7 ? SimulatedSource.End.COMPLETE
                : simulation.one(SimulatedSource.End.FAIL, SimulatedSource.End.STAY);
        this.hasty = simulation.chance(0.5);
    }

    void start() {
        started = true;
        side.simulation().note(this + " starts");
        publisher().subscribe(this);
        if (side.simulation().chance(0.15)) {
            side.simulation().soon(() -> side.engine().runAnywhere(this::cancel));
        }
    }

    private Publisher<?> publisher() {
        RequestExchange exchange = new RequestExchange(side.protocol(), answer, 0, payload(), null, null);
        boolean leased = side.simulation().chance(0.5);
        return switch (answer) {
            case NONE -> exchange.fireAndForget();
            case ONE -> leased ? exchange.response(EncodedMessage::lease)
                    : exchange.response(EncodedMessage::toByteArray);
            case MANY, CHANNEL -> leased ? exchange.responses(EncodedMessage::lease)
                    : exchange.responses(EncodedMessage::toByteArray);
        };
    }

    private Object payload() {
        if (answer == Answer.CHANNEL) {
            requests = new SimulatedSource<>(side, responses, end, number -> side.lease(id, number));
            return requests;
        }
        byte[] bytes = Content.of(id, 0, side.size());
        return side.simulation().chance(0.5) ? Content.leased(side, bytes, this) : bytes;
    }

    private void cancel() {
        if (signals == 0 && !cancelled) {
            side.simulation().note(this + " is cancelled");
            cancelled = true;
            subscription.cancel();
        }
    }

    /** The responder of the other side has got this, and answers. */
    Mono<UcxBuffer> answerOnce(SimulatedSide responder) {
        boolean fails = end == SimulatedSource.End.FAIL;
        if (end != SimulatedSource.End.STAY && side.simulation().chance(0.5)) {
            return fails ? Mono.error(failure()) : responses == 0 ? Mono.empty() : Mono.just(responder.lease(id, 0));
        }
        return answers(responder, fails ? 0 : responses).singleOrEmpty();
    }

    Flux<UcxBuffer> answers(SimulatedSide responder, int count) {
        return new SimulatedSource<>(responder, count, end, number -> responder.lease(id, number))
                .onErrorMap(error -> failure());
    }

    int responses() {
        return responses;
    }

    private static UcxRequestException failure() {
        return new UcxRequestException(UcxRequestException.Reason.APPLICATION, "simulated");
    }

    @Override
    public void onSubscribe(Subscription upstream) {
        subscription = upstream;
        more();
    }

    private void more() {
        if (signals == 0 && !cancelled) {
            request(hasty ? Long.MAX_VALUE : 1 + side.simulation().below(4));
        }
    }

    private void request(long n) {
        requested = Math.min(Long.MAX_VALUE - n, requested) + n;
        subscription.request(n);
    }

    @Override
    public void onNext(Object response) {
        Simulation simulation = side.simulation();
        simulation.check(signals == 0, this + " gets a response behind its end");
        simulation.check(got < requested, this + " gets more responses than it has requested");
        side.simulation().track(response, this + " response " + got);
        byte[] bytes = Content.bytes(response);
        simulation.check(Content.isIntact(bytes), this + " gets a response that is not intact");
        simulation.check(Content.sender(bytes) == id && Content.number(bytes) == got, this + " gets response "
                + Content.number(bytes) + " to " + Content.sender(bytes) + " as its " + got + "th");
        got++;
        if (simulation.chance(0.3)) {
            simulation.soon(() -> side.engine().runAnywhere(() -> Content.release(response)));
        } else {
            Content.release(response);
        }
        if (got == requested) {
            simulation.soon(() -> side.engine().runAnywhere(this::more));
        }
    }

    @Override
    public void onError(Throwable failure) {
        error = failure;
        ended("fails: " + failure.getMessage());
    }

    @Override
    public void onComplete() {
        ended("completes");
    }

    private void ended(String how) {
        side.simulation().note(this + " " + how);
        side.simulation().check(++signals == 1, this + " ends twice");
    }

    /** From now on everything is requested at once. */
    void hurry() {
        if (started && signals == 0 && !cancelled) {
            request(Long.MAX_VALUE);
        }
    }

    /** Returns whether this keeps its stream, so that others may wait for theirs. */
    boolean staysOpen() {
        return started && !cancelled && signals == 0 && end == SimulatedSource.End.STAY;
    }

    /** Both sides are open and everything has demand: this has ended, unless its responder has not. */
    void checkAtRest(boolean limited) {
        if (!started || cancelled) {
            return;
        }
        Simulation simulation = side.simulation();
        boolean stays = end == SimulatedSource.End.STAY || limited;
        simulation.check(signals == 1 || stays, this + " stands still with " + got + " of " + responses
                + " responses");
        if (signals == 1 && error == null) {
            simulation.check(answer == Answer.NONE || got == responses, this + " has completed with " + got + " of "
                    + responses + " responses");
            simulation.check(answer == Answer.NONE || end == SimulatedSource.End.COMPLETE || answer == Answer.ONE,
                    this + " has completed, and " + end);
        } else if (signals == 1) {
            simulation.check(end == SimulatedSource.End.FAIL || isRefused(), this + " has failed for no reason: "
                    + error);
        }
    }

    private boolean isRefused() {
        return switch (error) {
            // A request without a response is dropped where the responder has too many of them, or there is none.
            case UcxClosedException ignored -> answer == Answer.NONE;
            case UcxException refused -> refused.status() == UcxStatus.EXCEEDS_LIMIT;
            case UcxRequestException sent -> sent.reason() != UcxRequestException.Reason.APPLICATION;
            default -> false;
        };
    }

    void checkAtEnd() {
        side.simulation().check(!started || cancelled || signals == 1, this + " has not ended with its connection");
    }

    @Override
    public String toString() {
        return "request " + id + " of " + side + ", " + answer + " " + responses + " " + end;
    }
}
