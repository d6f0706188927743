import Dispatch

extension DispatchQueue {
  /// A queue for one subscriber, which may block it for long, or for good.
  ///
  /// A serial queue has a thread at once, up to some 250 in a process. Those of Swift's tasks are as few
  /// as the processors, and those of the event loops carry all connections.
  static func delivery() -> DispatchQueue {
    DispatchQueue(label: "RESTKit.AsyncHTTPClientTransport")
  }
}
