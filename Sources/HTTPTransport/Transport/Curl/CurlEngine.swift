#if os(Linux)
  import Dispatch
  import Foundation
  import HTTPWire

  /// An HTTP engine on the system's libcurl.
  ///
  /// It uses the multi interface, and one thread at a time leads it.
  ///
  /// It supports HTTP/1.1 with kept-alive connections, HTTP/2 over TLS, and gzip and deflate.
  /// Redirects, `.netrc`, cookies, HTTP/0.9 and all protocols except http and https are off.
  ///
  /// A request that must not run twice is never silently repeated after a dead kept-alive
  /// connection: it fails with `mayHaveBeenProcessed`.
  ///
  /// These limitations cannot be avoided from outside:
  /// - libcurl (at least 7.88) accepts a gzip body that ends early inside a correct
  ///   `Content-Length`; the decoder of the body must detect that.
  /// - It reads the proxy variables of the environment for each call, so the environment must not
  ///   change meanwhile (`ProxyPolicy.none` avoids that).
  /// - Before 7.80 a POST without a body gets a new connection each time, since otherwise it could
  ///   be silently repeated.
  /// - A libcurl without a background resolver blocks all calls during a name lookup.
  final class CurlEngine: HTTPEngine {
    let commandQueue: CurlCommandQueue

    /// Loads libcurl if necessary, and starts the first thread.
    ///
    /// - Throws: `.engineUnavailable` if there is no usable libcurl.
    init(configuration: CurlConfiguration = CurlConfiguration()) throws(TransportError) {
      let commandQueue = try CurlCommandQueue.make(try CurlLibrary.load())
      self.commandQueue = commandQueue
      LeaderFollowerPool.startThread {
        CurlLoop(commandQueue: commandQueue, configuration: configuration).run()
      }
    }

    deinit { commandQueue.close {} }

    func start(
      _ request: EngineRequest,
      completion: @escaping @Sendable (Result<EngineResponse, TransportError>) -> Void
    ) -> EngineCall {
      let call = EngineCall(completion: completion) { [commandQueue] call in
        commandQueue.post(.cancel(call))
      }
      if !commandQueue.post(command(for: request, call)) {
        DispatchQueue.global().async {
          call.complete(.failure(.engineClosed))
        }
      }
      return call
    }

    /// Checks the request on this thread, where it delays no other call.
    private func command(for request: EngineRequest, _ call: EngineCall) -> CurlCommandQueue.Command
    {
      do throws(TransportError) {
        return .start(try CurlJob(request, call, begin: .now, library: commandQueue.library))
      } catch {
        return .refuse(call, error)
      }
    }

    var sendsBodiesAsTheyCome: Bool { true }

    func shutdown(whenStopped: @escaping @Sendable () -> Void) {
      commandQueue.close(whenStopped: whenStopped)
    }
  }

  /// The configuration of a `CurlEngine`.
  struct CurlConfiguration: Sendable {
    /// The maximum number of connections to one host.
    ///
    /// Further calls wait in order.
    var maxConnectionsPerHost = 6
    /// The maximum number of kept-alive connections.
    var maxKeptConnections = 64
    /// The limits on the size of a response.
    var limits = TransportLimits()
    /// The maximum number of threads.
    ///
    /// Subscribers may block all but one of them, and all but two without a delay.
    var deliveryThreads = 16
    /// Runs once when subscribers block that many threads.
    var warn: @Sendable (String) -> Void = { text in
      // The non-throwing method traps if the stream is closed, as it may be in a daemon.
      try? FileHandle.standardError.write(contentsOf: Data("\(text)\n".utf8))
    }
    /// The time limit for the name lookup, the connect and the handshake.
    var connectTimeout = Duration.seconds(30)
    /// The time for which other calls to an origin wait for its first handshake.
    ///
    /// A handshake that takes longer has probably lost a packet: its sender waits this long before
    /// it sends the first one again (RFC 6298 §2). A connection of one's own may then be faster.
    var handshakePatience = Duration.seconds(1)
    /// The trusted authorities, the client certificate and the proxy.
    var security = CurlSecurity()
    /// The destinations of connections.
    var addresses = CurlAddresses()

    /// Returns the queue of calls for the connections of one loop.
    func connectionQueue(_ library: CurlLibrary) -> CurlConnectionQueue {
      CurlConnectionQueue(
        ConnectionShare(connections: maxConnectionsPerHost), patience: patience(library))
    }

    /// The time for which calls wait for a first connection, or nil if it cannot be of HTTP/2.
    func patience(_ library: CurlLibrary) -> Duration? {
      library.speaksHTTP2 && library.asksBeforeRequests && addresses.socketPath == nil
        ? handshakePatience : nil
    }
  }
#endif
