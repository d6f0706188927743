#if os(Linux)
  import Foundation
  import Streams

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// Sends requests with the system's libcurl, on threads of its own: the default on Linux.
  ///
  /// libcurl is opened at run time; nothing has to be installed to build. Connections are kept alive
  /// and shared by all calls of one transport, so keep one and give it to all who need it. Dropping the
  /// transport, once its calls have ended, ends its threads.
  ///
  /// Values arrive on a thread of the transport's. A subscriber may take its time there, or wait for
  /// another call: after a millisecond or two another thread goes on with all else.
  ///
  /// Certificates are always verified; whom to trust besides the system's authorities, a client
  /// certificate and pins are ``TLSOptions``. The way out is the ``ProxyPolicy``. Where connections go
  /// is the ``AddressPolicy``: a unix socket, or fixed addresses of hosts.
  public struct CurlTransport: Transport {
    public let limits: TransportLimits

    private let engine: any HTTPEngine

    public var identity: ObjectIdentifier { ObjectIdentifier(engine) }

    /// Opens libcurl and starts the thread.
    ///
    /// - Parameters:
    ///   - limits: What a response may cost.
    ///   - tls: Whom to trust, and who to be.
    ///   - proxy: Which way to take; as the environment says, unless another is given.
    ///   - addresses: Where connections go; to a host's addresses as the system has them, unless others
    ///     are given.
    ///   - threads: The threads that talk to servers, at least 1. More than one pays where one cannot keep
    ///     up and there are processors for them: each has connections of its own, and calls are spread
    ///     over them by origin, those of a busy origin over several. The limit on connections to a host
    ///     holds over all of them, so no more than 6 are of use.
    ///   - deliveryThreads: For each of those, the threads that may be held up by subscribers, itself
    ///     included, at least 2: all but one at a time. Beyond that answers wait, and no further call
    ///     begins, which is told once on the standard error stream. A thread that is not needed ends
    ///     after five seconds.
    /// - Throws: ``TransportError`` of kind `engineUnavailable` where there is no libcurl 7.68 or
    ///   later, and of kind `invalidOptions`, naming the option, for a file that cannot be read or
    ///   is not PEM, an encrypted key without a passphrase, a pin that is no digest, a proxy that is no
    ///   proxy's address, a path that no socket can have, an entry of fixed addresses that is none, or
    ///   a proxy together with a unix socket.
    public init(
      limits: TransportLimits = TransportLimits(), tls: TLSOptions = TLSOptions(),
      proxy: ProxyPolicy = .environment, addresses: AddressPolicy = .system, threads: Int = 1,
      deliveryThreads: Int = 16
    ) throws(TransportError) {
      self.limits = limits
      var configuration = CurlConfiguration()
      configuration.limits = limits
      configuration.deliveryThreads = deliveryThreads
      let library = try CurlLibrary.load()
      configuration.security = try CurlSecurity(tls, proxy, library: library)
      configuration.addresses = try CurlAddresses(addresses, proxy, library: library)
      if configuration.addresses.socketPath != nil { configuration.security.proxy = .none }
      engine =
        threads > 1
        ? try CurlLoopGroup(count: threads, configuration: configuration)
        : try CurlEngine(configuration: configuration)
    }

    public func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
      engine.response(for: request)
    }

    public func events(
      for request: URLRequest, body: RequestBody?
    ) -> AnyPublisher<TransferEvent, any Error> {
      engine.events(for: request, body: body)
    }
  }
#endif
