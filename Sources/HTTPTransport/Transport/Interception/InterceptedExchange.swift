import Foundation
import HTTPWire

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An exchange that is about to begin, as the step of an ``InterceptedTransport`` gets it.
///
/// The step may change the request, answer it without the server, and watch the exchange.
public struct InterceptedExchange: Sendable {
  /// The end of an exchange.
  public enum End: Sendable {
    /// The response is complete.
    ///
    /// The metrics are nil if the transport does not report them.
    case answered(ResponseHead, metrics: ExchangeMetrics?)
    /// The exchange failed, or the step did.
    case failed(any Error)
    /// The subscriber left before the response was complete.
    ///
    /// For a redirect or a refused token that arrives in pieces, this is the usual end, since
    /// nobody reads the body.
    case cancelled
  }

  /// The request that leaves, with its token and after every wait.
  ///
  /// The transport checks the changed request as any other. For the bytes of its body, use ``body``
  /// or ``bodyData``: `httpBody` lacks those of an upload.
  public var request: URLRequest

  /// The response that ends the exchange without the server, or nil to send the request.
  ///
  /// It is delivered as a response of the transport would be, and the transport's limits apply to
  /// it. The steps nearer to the server do not run, and the body is not sent.
  public var response: RESTResponse?

  private let upload: RequestBody?
  private let watch: ExchangeWatch

  init(_ request: URLRequest, body: RequestBody?, watch: ExchangeWatch) {
    self.request = request
    upload = body
    self.watch = watch
  }

  /// The body that is sent, or nil without one.
  ///
  /// `open().chunks` gives its bytes, for example to sign a file. Data and files are opened as
  /// often as necessary. A body of chunks that is not `isReplayable` can only be opened once. If
  /// the step opens it, the exchange fails before anything is sent.
  public var body: RequestBody? { upload ?? request.httpBody.map { .data($0) } }

  /// The bytes of the body: empty without a body, and nil if they are not in memory.
  ///
  /// Files and chunks are not in memory.
  public var bodyData: Data? { body.map(\.data) ?? Data() }

  /// Runs a closure when the head of the response arrives.
  ///
  /// It runs before the head or the whole response is delivered, on the same thread. If it cancels
  /// the call, nothing is delivered.
  ///
  /// - Parameter tell: A closure that receives the status and the header fields. It runs once, or
  ///   not at all if no head arrives.
  public func onHead(_ tell: @escaping @Sendable (ResponseHead) -> Void) {
    watch.onHead(tell)
  }

  /// Runs a closure at the end of the exchange.
  ///
  /// It runs before the whole response, or the end of a response in pieces, is delivered, and on
  /// the same thread. After a cancel it runs on the thread of the cancel.
  ///
  /// - Parameter tell: A closure that receives the end. It runs once, also if the step throws
  ///   afterwards. If the exchange was cancelled during the step, it runs at once.
  public func onEnd(_ tell: @escaping @Sendable (End) -> Void) {
    watch.onEnd(tell)
  }
}

extension InterceptedExchange:
  CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
  /// The method and the location of the request, without any secret.
  public var description: String { "exchange of \(RequestSummary(request))" }

  public var debugDescription: String { description }

  // `dump` would print the token.
  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
