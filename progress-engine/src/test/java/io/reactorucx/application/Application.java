package io.reactorucx.application;

/** Code in no package of this library, as a stall names it. */
public final class Application {

    private Application() {
    }

    /** Calls something within this class. */
    public static void call(Runnable task) {
        task.run();
    }
}
