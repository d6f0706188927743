/// Where the time of a call went.
///
/// Each is counted from the moment the engine began to work on it.
struct EngineTimings: Sendable, Equatable {
  /// Until the name was looked up; zero on a connection that was kept alive.
  var nameLookup: Duration = .zero
  /// Until the connection stood.
  var connect: Duration = .zero
  /// Until the TLS handshake was done; zero without one.
  var secureConnect: Duration = .zero
  /// Until the first byte of the response.
  var firstByte: Duration = .zero
  /// Until the last byte.
  var total: Duration = .zero
  /// Whether the request went over a connection that was kept alive.
  var isConnectionReused = false
}
