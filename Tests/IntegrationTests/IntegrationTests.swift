import Testing

/// Real sockets, against a server that nobody here wrote.
///
/// One test runs at a time: those about time would otherwise measure the others.
@Suite(
  "Against httpbin", .serialized, .timeLimit(.minutes(5)),
  .enabled(
    if: Httpbin.address != nil,
    "RESTKIT_HTTPBIN_URL is not set; Tests/IntegrationTests/run.sh installs httpbin and runs this"))
enum IntegrationTests {}
