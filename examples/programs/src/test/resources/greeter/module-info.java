module greeter {
    requires io.reactorucx;
}
