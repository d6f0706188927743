import Dispatch

extension DispatchQueue {
  /// Returns a queue for one subscriber, which may block it.
  ///
  /// A serial queue gets a thread at once, up to about 250 in a process. Swift's tasks have only as
  /// many threads as processors, and the threads of the event loops serve all connections.
  static func delivery() -> DispatchQueue {
    DispatchQueue(label: "RESTKit.AsyncHTTPClientTransport")
  }
}
