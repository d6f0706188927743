import Dispatch
import Foundation
import HTTPWire
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An HTTP engine on Foundation's `URLSession`: the default on Apple's systems, the fallback on
/// Linux.
///
/// It avoids every fault of swift-corelibs-foundation that can be avoided from outside. These
/// faults on Linux remain, and `CurlEngine` has none of them:
/// - Three responses end the process: a chunked body with a trailer field (before Swift 6.4), a
///   `Content-Length` of 9223372036854775807, and a 3xx with a `Location` such as `//[::1]/`.
/// - A URL with an IPv6 literal fails (this engine refuses it with a clear fault), and dot segments
///   of a path are removed before it is sent.
/// - The time limit applies to the whole call only, not to the connection alone.
/// - The body of a redirect (3xx with `Location`) is lost, and so are trailers and the order of
///   headers. Lines of one name arrive joined, including `Set-Cookie`.
/// - A GET with a body is refused. A POST or PATCH without a body is sent as an empty chunked body.
/// - Some legal headers make a response fail: a field without a blank after the colon, and ISO
///   8859-1.
/// - All sessions of a process share one serial queue, and each request leaks about 170 bytes.
/// - The trusted authorities are the system's, and a gzip body that ends early is not detected.
/// - With libcurl 7.88, bytes after a response are taken for the next response.
final class URLSessionEngine: HTTPEngine {
  private let tasks: URLSessionTasks
  private let session: URLSession
  // This is a separate lock that no delegate method takes: making a task waits for Foundation's
  // work queue, and making one on an invalidated session ends the process.
  private let isClosed = Lock(false)

  init(configuration: URLSessionEngineConfiguration = URLSessionEngineConfiguration()) {
    tasks = URLSessionTasks(limits: configuration.limits)
    session = URLSession(
      configuration: configuration.sessionConfiguration, delegate: tasks, delegateQueue: nil)
  }

  deinit { close {} }

  func start(
    _ request: EngineRequest,
    completion: @escaping @Sendable (Result<EngineResponse, TransportError>) -> Void
  ) -> EngineCall {
    let call = EngineCall(completion: completion) { [tasks, events = request.events] call in
      tasks.cancel(call)
      // The subscriber may never return.
      events?.close()
    }
    do throws(TransportError) {
      if let timeout = request.timeout, timeout <= .zero {
        throw TransportError.overBeforeBegun
      }
      let message = try URLSessionMessage(request)
      guard let task = makeTask(message.request) else { throw TransportError.engineClosed }
      tasks.run(task, for: call, message, request.events)
    } catch {
      tasks.end(call, .failure(error), behind: request.events)
    }
    return call
  }

  /// False: Foundation treats a stream without present bytes as ended.
  var sendsBodiesAsTheyCome: Bool { false }

  func shutdown(whenStopped: @escaping @Sendable () -> Void) {
    close(whenStopped)
  }

  private func makeTask(_ request: URLRequest) -> URLSessionDataTask? {
    isClosed.withLock { isClosed in
      // A completion handler or the async methods would deadlock or hang.
      isClosed ? nil : session.dataTask(with: request)
    }
  }

  private func close(_ whenStopped: @escaping @Sendable () -> Void) {
    isClosed.withLock { $0 = true }
    // `stop` cancels every task. If the session cancelled them, the process could end.
    tasks.stop(
      invalidate: { [session] in session.finishTasksAndInvalidate() }, whenStopped: whenStopped)
  }
}

/// The configuration of a `URLSessionEngine`.
struct URLSessionEngineConfiguration: Sendable {
  /// The maximum number of connections to one host; more than the default causes faults on Linux.
  var maxConnectionsPerHost = 6
  /// The limits on the size of a response.
  var limits = TransportLimits()

  /// The session has no cookies, no credentials and no cache.
  ///
  /// With a cache, cancelling can end the process on Linux.
  var sessionConfiguration: URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.httpCookieAcceptPolicy = .never
    configuration.urlCredentialStorage = nil
    configuration.httpMaximumConnectionsPerHost = max(1, maxConnectionsPerHost)
    return configuration
  }
}
