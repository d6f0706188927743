#if os(Linux)
  import Dispatch
  import Foundation

  /// An HTTP engine on the system's libcurl: its multi interface, led by one thread at a time.
  ///
  /// HTTP/1.1 with kept-alive connections, HTTP/2 over TLS; gzip and whatever else this libcurl can
  /// undo. Redirects, `.netrc`, cookies, HTTP/0.9 and every protocol but http and https are off.
  ///
  /// A request that must not run twice is never repeated silently on a dead kept-alive connection:
  /// it fails with `mayHaveBeenProcessed`.
  ///
  /// What cannot be avoided from outside:
  /// - libcurl (7.88 at least) takes a gzip body that ends early, inside a right `Content-Length`,
  ///   for a whole one; what decodes the body must notice.
  /// - It reads the proxy variables of the environment for each call, so nothing may change the
  ///   environment meanwhile (`ProxyPolicy.none` avoids that).
  /// - Before 7.80 a POST without a body gets a fresh connection each time, since only so it cannot
  ///   be repeated silently.
  /// - A libcurl without a background resolver stops all calls while it looks a name up.
  final class CurlEngine: HTTPEngine {
    private let inbox: CurlInbox
    private let number: Int

    /// Opens libcurl if need be and starts the first thread.
    ///
    /// - Parameter number: Which it is of the engines of one transport.
    /// - Throws: `.engineUnavailable` if there is no usable libcurl.
    init(
      configuration: CurlConfiguration = CurlConfiguration(), number: Int = 0
    ) throws(TransportError) {
      self.number = number
      let inbox = try CurlInbox.make(try CurlLibrary.load())
      self.inbox = inbox
      CurlCrew.startThread {
        CurlLoop(inbox: inbox, configuration: configuration).run()
      }
    }

    deinit { inbox.close {} }

    func start(
      _ request: EngineRequest,
      completion: @escaping @Sendable (Result<EngineResponse, TransportError>) -> Void
    ) -> EngineCall {
      let call = EngineCall(engine: number, completion: completion) { [inbox] call in
        inbox.post(.cancel(call))
      }
      if !inbox.post(command(for: request, call)) {
        DispatchQueue.global().async {
          call.complete(.failure(.engineClosed))
        }
      }
      return call
    }

    /// The request is looked at here, where that holds up no other call.
    private func command(for request: EngineRequest, _ call: EngineCall) -> CurlInbox.Command {
      do throws(TransportError) {
        return .start(try CurlJob(request, call, begin: .now, library: inbox.library))
      } catch {
        return .refuse(call, error)
      }
    }

    func resume(_ call: EngineCall) {
      inbox.post(.resumeReceiving(call))
    }

    var sendsBodiesAsTheyCome: Bool { true }

    func shutdown(whenStopped: @escaping @Sendable () -> Void) {
      inbox.close(whenStopped: whenStopped)
    }
  }

  /// What a `CurlEngine` allows itself.
  struct CurlConfiguration: Sendable {
    /// Connections to one host at a time; further calls wait their turn, in order.
    var maxConnectionsPerHost = 6
    /// Those of them that an origin may have, where other engines have the rest; nil for all.
    var connections: (@Sendable (String) -> Int)?
    /// Connections kept alive in all.
    var maxKeptConnections = 64
    /// What a response may cost.
    var limits = TransportLimits()
    /// The most threads: all but one may be held up by those that are told something.
    var deliveryThreads = 16
    /// Told once that as many are.
    var warn: @Sendable (String) -> Void = { text in
      // The other way to write traps where the stream is closed, as a daemon's may be.
      try? FileHandle.standardError.write(contentsOf: Data("\(text)\n".utf8))
    }
    /// The time to look up the name, connect and shake hands.
    var connectTimeout = Duration.seconds(30)
    /// Whom the engine trusts, who it says it is, and its way out.
    var security = CurlSecurity()
    /// Where its connections go.
    var addresses = CurlAddresses()
  }
#endif
