import Dispatch
import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An HTTP engine on Foundation's `URLSession`: the default on Apple's systems, the fallback on
/// Linux.
///
/// Every fault of swift-corelibs-foundation that can be avoided from outside is. On Linux these
/// cannot, and `CurlEngine` has none of them:
/// - three answers end the process: a chunked body with a trailer field (before Swift 6.4), a
///   `Content-Length` of 9223372036854775807, and a 3xx whose `Location` is like `//[::1]/`;
/// - a URL with an IPv6 literal fails (it is refused here with a clear fault), and dot segments of
///   a path are removed before it is sent;
/// - the time for the connection alone cannot be limited, only that of the whole call;
/// - the body of a redirect (3xx with `Location`) is lost, and so are trailers and the order of
///   headers; lines of one name arrive joined, `Set-Cookie` too;
/// - a GET with a body is refused; a POST or PATCH without one is sent as an empty chunked body;
/// - some headers that are legal make a response fail: no blank behind the colon, ISO 8859-1;
/// - all sessions of a process share one serial queue, and each request leaks about 170 bytes;
/// - trust is the system's, and a gzip body that ends early is not noticed;
/// - what came behind an answer is taken for the next one's, over libcurl 7.88.
final class URLSessionEngine: HTTPEngine {
  private let tasks: URLSessionTasks
  private let session: URLSession
  // Its own lock, which no delegate method takes: making a task waits for Foundation's work queue,
  // and making one on an invalidated session ends the process.
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
    let delivery = tasks.delivery(to: request.onEvent)
    let call = EngineCall(completion: completion) { [tasks] call in
      tasks.cancel(call)
      delivery.drop()
    }
    do throws(TransportError) {
      if let timeout = request.timeout, timeout <= .zero {
        throw TransportError.overBeforeBegun
      }
      let message = try URLSessionMessage(request)
      guard let task = makeTask(message.request) else { throw TransportError.engineClosed }
      tasks.run(task, for: call, message, delivery)
    } catch {
      delivery.end(.failure(error), of: call)
    }
    return call
  }

  /// Foundation cannot pause: on Linux a suspended task may hang or end the process.
  func resume(_ call: EngineCall) {}

  var canPause: Bool { false }

  /// Foundation takes a stream that has nothing for now for one that has ended.
  var sendsBodiesAsTheyCome: Bool { false }

  func shutdown(whenStopped: @escaping @Sendable () -> Void) {
    close(whenStopped)
  }

  private func makeTask(_ request: URLRequest) -> URLSessionDataTask? {
    isClosed.withLock { isClosed in
      // Never with a completion handler and never the async methods: those dead-lock and hang.
      isClosed ? nil : session.dataTask(with: request)
    }
  }

  private func close(_ whenStopped: @escaping @Sendable () -> Void) {
    isClosed.withLock { $0 = true }
    // Every task is cancelled by `stop`; to have the session cancel them too can end the process.
    tasks.stop(
      invalidate: { [session] in session.finishTasksAndInvalidate() }, whenStopped: whenStopped)
  }
}
