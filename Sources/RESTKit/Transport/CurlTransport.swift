#if os(Linux)
  import Foundation
  import Streams

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// Sends requests with the system's libcurl, on one thread of its own: the default on Linux.
  ///
  /// libcurl is opened at run time; nothing has to be installed to build. Connections are kept alive
  /// and shared by all calls of one transport, so keep one and give it to all who need it. Values
  /// arrive on the transport's thread: hop with `receive(on:)` before work that takes long, since
  /// other calls wait meanwhile. Dropping the transport, once its calls have ended, ends its thread.
  ///
  /// Certificates are always verified; whom to trust besides the system's authorities, a client
  /// certificate and pins are ``TLSOptions``. The way out is the ``ProxyPolicy``. Where connections go
  /// is the ``AddressPolicy``: a unix socket, or fixed addresses of hosts.
  public struct CurlTransport: Transport {
    public let limits: TransportLimits

    private let engine: any HTTPEngine

    /// Opens libcurl and starts the thread.
    ///
    /// - Parameters:
    ///   - limits: What a response may cost.
    ///   - tls: Whom to trust, and who to be.
    ///   - proxy: Which way to take; as the environment says, unless another is given.
    ///   - addresses: Where connections go; to a host's addresses as the system has them, unless others
    ///     are given.
    /// - Throws: ``TransportError`` of kind `engineUnavailable` where there is no libcurl 7.68 or
    ///   later, and of kind `invalidOptions`, naming the option, for a file that cannot be read or
    ///   is not PEM, an encrypted key without a passphrase, a pin that is no digest, a proxy that is no
    ///   proxy's address, a path that no socket can have, an entry of fixed addresses that is none, or
    ///   a proxy together with a unix socket.
    public init(
      limits: TransportLimits = TransportLimits(), tls: TLSOptions = TLSOptions(),
      proxy: ProxyPolicy = .environment, addresses: AddressPolicy = .system
    ) throws(TransportError) {
      self.limits = limits
      var configuration = CurlConfiguration()
      configuration.limits = limits
      let library = try CurlLibrary.load()
      configuration.security = try CurlSecurity(tls, proxy, library: library)
      configuration.addresses = try CurlAddresses(addresses, proxy, library: library)
      if configuration.addresses.socketPath != nil { configuration.security.proxy = .none }
      engine = try CurlEngine(configuration: configuration)
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
