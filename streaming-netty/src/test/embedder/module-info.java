/** A database with a descriptor of its own; compiled and run by ModulePathTest. */
module tiny.database {
    requires io.sluice.netty;
}
