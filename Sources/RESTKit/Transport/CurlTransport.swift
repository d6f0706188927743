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
  /// The environment's proxies are used as curl documents them (`http_proxy`, `https_proxy`,
  /// `all_proxy`, `no_proxy`).
  public struct CurlTransport: Transport {
    public let limits: TransportLimits

    private let transport: EngineTransport

    /// Opens libcurl and starts the thread.
    ///
    /// - Parameter limits: What a response may cost.
    /// - Throws: ``TransportFault`` of kind `engineUnavailable` where there is no libcurl 7.68 or
    ///   later.
    public init(limits: TransportLimits = TransportLimits()) throws(TransportFault) {
      self.limits = limits
      var configuration = CurlConfiguration()
      configuration.limits = limits
      transport = EngineTransport(engine: try CurlEngine(configuration: configuration))
    }

    public func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
      transport.response(for: request)
    }

    public func events(
      for request: URLRequest, body: RequestBody?
    ) -> AnyPublisher<TransferEvent, any Error> {
      transport.events(for: request, body: body)
    }
  }
#endif
