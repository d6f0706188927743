#if os(Linux)
  /// What a `CurlEngine` allows itself.
  struct CurlConfiguration: Sendable {
    /// Connections to one host at a time; further calls wait their turn, in order.
    var maxConnectionsPerHost = 6
    /// Connections kept alive in all.
    var maxKeptConnections = 64
    /// What a response may cost.
    var limits = TransportLimits()
    /// The time to look up the name, connect and shake hands, where the request names none.
    var connectTimeout = Duration.seconds(30)
    /// The `User-Agent` of requests that set none.
    var userAgent = "RESTKit/0.1"
    /// Whether HTTP/2 is offered over TLS.
    var allowsHTTP2 = true
    /// Whom the engine trusts, who it says it is, and its way out.
    var security = CurlSecurity()
  }
#endif
