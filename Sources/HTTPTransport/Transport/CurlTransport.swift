#if os(Linux)
  import Foundation
  import HTTPWire
  import Streams

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// A transport that sends requests with the system's libcurl, on threads of its own.
  ///
  /// It is the default on Linux.
  ///
  /// libcurl is loaded at run time, so a build needs no installation. All calls of one transport
  /// share its kept-alive connections: keep one transport and give it to all APIs that need it.
  /// When the transport is released and its calls have ended, its threads end.
  ///
  /// Values arrive on a thread of the transport. A subscriber may block there, for example to wait
  /// for another call. After one or two milliseconds, another thread continues with all other
  /// calls, as long as fewer than 15 subscribers block (`deliveryThreads`).
  ///
  /// Certificates are always verified. ``TLSOptions`` sets further trusted authorities, a client
  /// certificate and pins. ``ProxyPolicy`` sets the proxy. ``AddressPolicy`` sets the destination
  /// of connections: a unix socket, or fixed addresses of hosts.
  public struct CurlTransport: Transport {
    public let limits: TransportLimits

    /// The road: the fixed addresses or the socket, the proxy, the client certificate, the
    /// authorities and the pins.
    ///
    /// Transports with the same ones have one identity, also in another process.
    public let identity: TransportIdentity

    /// The executor of tasks that are to run on the transport's threads, where their responses
    /// arrive.
    ///
    /// ```swift
    /// Task(executorPreference: transport.taskExecutor) {
    ///   for id in ids { show(try await api.get(endpoint: "orders/\(id)").decode(type: Order.self).value) }
    /// }
    /// ```
    ///
    /// A task that prefers it (SE-0417) goes on with a response without a switch of threads. The
    /// task may block. After one or two milliseconds, another thread continues with all other tasks
    /// and calls, within the limit of `deliveryThreads`, which tasks and subscribers share.
    ///
    /// What is isolated to an actor runs here as well, unless the actor has an executor of its own,
    /// as the main actor has. Tasks run in the order in which they are ready; priorities have no
    /// effect. With several `threads`, a task goes on where it became ready: on the thread of a
    /// response or of another task, or else on the thread with the fewest tasks.
    ///
    /// The executor does not keep the transport alive. When the transport's threads end, tasks go
    /// on in Swift's own threads, `globalConcurrentExecutor`.
    public let taskExecutor: any TaskExecutor

    private let engine: any HTTPEngine

    /// Loads libcurl and starts the threads.
    ///
    /// - Parameters:
    ///   - limits: The limits on the size of a response.
    ///   - tls: The trusted authorities, the client certificate and the pins.
    ///   - proxy: The proxy; by default as the environment variables say.
    ///   - addresses: The destinations of connections; by default the addresses that the system
    ///     knows for a host.
    ///   - connectionsPerHost: The maximum number of connections to one host, at least 1. Further
    ///     calls wait, so it also limits the live streams that a server with HTTP/1.1 may have open
    ///     while other calls go through. A connection with HTTP/2 serves a hundred calls at a time.
    ///     The token request of a session does not wait: it may take one more connection.
    ///   - threads: The maximum number of threads that communicate with servers, at least 1. More
    ///     than one helps if one cannot keep up and there are processors for them. The next thread
    ///     begins when those before it have three calls each, or no connection left for the origin.
    ///     Each thread has connections of its own. The limit on connections to a host holds for all
    ///     threads together, so more threads than that have no use. A call waits only while no
    ///     thread has a free connection for it; the calls to an origin wait in one line.
    ///   - deliveryThreads: For each of those threads, the number of threads that subscribers may
    ///     block, including itself; at least 2. With all but two of them blocked, no other call is
    ///     delayed. While one more is blocked, responses wait and no further call begins; the
    ///     transport then writes one message to standard error. An idle thread ends after five
    ///     seconds.
    /// - Throws: ``TransportError`` of kind `engineUnavailable` if there is no libcurl 7.68 or
    ///   later. ``TransportError`` of kind `invalidOptions`, with the option's name, for a file
    ///   that cannot be read or is not PEM, an encrypted key without a passphrase, a pin that is
    ///   not a digest, an invalid proxy address, a path that a socket cannot have, an invalid entry
    ///   of fixed addresses, or a proxy together with a unix socket.
    public init(
      limits: TransportLimits = TransportLimits(), tls: TLSOptions = TLSOptions(),
      proxy: ProxyPolicy = .environment, addresses: AddressPolicy = .system,
      connectionsPerHost: Int = 6, threads: Int = 1, deliveryThreads: Int = 16
    ) throws(TransportError) {
      self.limits = limits
      var configuration = CurlConfiguration()
      configuration.limits = limits
      configuration.maxConnectionsPerHost = max(1, connectionsPerHost)
      configuration.deliveryThreads = deliveryThreads
      let library = try CurlLibrary.load()
      configuration.security = try CurlSecurity(tls, proxy, library: library)
      configuration.addresses = try CurlAddresses(addresses, proxy, library: library)
      let road = configuration.addresses.road + configuration.security.road
      if configuration.addresses.socketPath != nil { configuration.security.proxy = .none }
      identity = TransportIdentity(lasting: road.joined(separator: "\n"))
      if threads > 1 {
        let group = try CurlLoopGroup(count: threads, configuration: configuration)
        engine = group
        let loops = group.loops
        taskExecutor = CurlTaskExecutor(loops.commandQueues, begin: loops.begin)
      } else {
        let engine = try CurlEngine(configuration: configuration)
        self.engine = engine
        taskExecutor = CurlTaskExecutor([engine.commandQueue])
      }
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
