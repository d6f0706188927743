import Testing

/// Real sockets, against independent servers: httpbin, and nginx under `Nginx`.
///
/// One test runs at a time, because tests of time would otherwise measure the others.
@Suite(
  "Against real peers", .serialized, .timeLimit(.minutes(5)),
  .enabled(
    if: Httpbin.address != nil,
    "RESTKIT_HTTPBIN_URL is not set; Tests/IntegrationTests/run.sh installs the peers and runs this"
  ))
enum IntegrationTests {}
