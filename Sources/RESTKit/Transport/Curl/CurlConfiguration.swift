#if os(Linux)
  /// What a `CurlEngine` allows itself.
  struct CurlConfiguration: Sendable {
    /// Where the engine looks for a proxy.
    enum ProxyUse: Sendable, Equatable {
      /// In `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` of the environment.
      case environment
      /// Nowhere: always the server itself.
      case never
    }

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
    /// A file of CA certificates in PEM to trust instead of the system's.
    var certificateAuthorityFile: String?
    /// Where the engine looks for a proxy.
    var proxyUse = ProxyUse.environment
  }
#endif
