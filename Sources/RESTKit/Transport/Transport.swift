import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Carries one request to a server and brings back its response: the seam where engines, stubs and
/// test servers plug in.
///
/// A transport makes one exchange for each subscription. It follows no redirect, stores no cookie
/// and answers no challenge: RESTKit does what is to be done with a 3xx or a 401. Any response is a
/// value, whatever its status; a failure means that there is no whole response. A cancel ends the
/// exchange and closes or frees its connection. A subscriber that blocks, for long or for good,
/// delays no other exchange of the transport.
public protocol Transport: Sendable {
  /// What a response may cost; what RESTKit itself collects of a response keeps to it, too.
  var limits: TransportLimits { get }

  /// Who is told of the calls that go through it; nil unless said otherwise.
  ///
  /// A transport that passes requests on to another one gives the other's.
  var observer: CallObserver? { get }

  /// What tells it from other transports: calls over two with one identity may share an exchange.
  ///
  /// Of an object it is that, and of a value its type, unless said otherwise. A value that stands for an object,
  /// or that may differ from others of its type, says so.
  var identity: ObjectIdentifier { get }

  /// Notes that a cache answered a request, which was not sent therefore; nothing unless said otherwise.
  ///
  /// It runs before the response is delivered. A transport that passes requests on to another one passes
  /// this on, too.
  func noteCacheHit(_ response: RESTResponse, for request: URLRequest)

  /// The whole response to a request.
  ///
  /// - Parameter request: What to send. Its `timeoutInterval`, in seconds, is the time for the
  ///   whole exchange; where it is not positive or not finite there is no limit.
  func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error>

  /// The exchange in pieces: how much of the body is sent, then the response's head, then its body in
  /// chunks as they are asked for.
  ///
  /// - Parameters:
  ///   - request: What to send. Its `timeoutInterval`, in seconds, is the time that the server may be
  ///     silent for: till the head, and between two pieces.
  ///   - body: What to send as the body, read as it goes; nil where the request has its own, or none.
  func events(
    for request: URLRequest, body: RequestBody?
  ) -> AnyPublisher<TransferEvent, any Error>
}

extension Transport {
  /// The limits that hold unless a transport has its own.
  public var limits: TransportLimits { TransportLimits() }

  public var observer: CallObserver? { nil }

  public var identity: ObjectIdentifier { ObjectIdentifier(Self.self) }

  public func noteCacheHit(_ response: RESTResponse, for request: URLRequest) {}

  /// The exchange in pieces of a whole one: for a transport that has no other way.
  ///
  /// The body is in memory before it is sent, and so is the response before it is delivered, in chunks of
  /// 64 KiB.
  public func events(
    for request: URLRequest, body: RequestBody?
  ) -> AnyPublisher<TransferEvent, any Error> {
    wholeEvents(for: request, body: body) { response(for: $0) }
  }

  /// The exchange in pieces, of a request that has its body, or none.
  public func events(for request: URLRequest) -> AnyPublisher<TransferEvent, any Error> {
    events(for: request, body: nil)
  }
}

extension Transport {
  /// The exchange in pieces of a whole one.
  ///
  /// - Parameter exchange: Brings the response to a request that has its body in memory.
  func wholeEvents(
    for request: URLRequest, body: RequestBody?,
    by exchange: @escaping @Sendable (URLRequest) -> AnyPublisher<RESTResponse, any Error>
  ) -> AnyPublisher<TransferEvent, any Error> {
    guard let body else { return exchange(request).wholeEvents(sent: request.httpBody?.count) }
    return body.collected()
      .mapError { error in
        (error as? TransportError).map { RESTError($0, request: RequestSummary(request)) } ?? error
      }
      .flatMap { data in
        var request = request
        request.httpBody = data
        return exchange(request).wholeEvents(sent: data.count)
      }
      .eraseToAnyPublisher()
  }
}

extension Transport where Self: AnyObject {
  public var identity: ObjectIdentifier { ObjectIdentifier(self) }
}

extension Publisher<RESTResponse, any Error> {
  fileprivate func wholeEvents(sent: Int?) -> AnyPublisher<TransferEvent, any Error> {
    DeferredInContext { context in
      flatMap { response in
        if let metrics = response.metrics { context[TransferMetrics.self]?(metrics) }
        return response.events(sent: sent).publisher
      }
    }
    .eraseToAnyPublisher()
  }
}

extension RESTResponse {
  fileprivate func events(sent: Int?) -> [TransferEvent] {
    var events: [TransferEvent] = []
    if let count = sent.map(Int64.init), count > 0 {
      events.append(.sent(TransferProgress(completedBytes: count, totalBytes: count)))
    }
    events.append(.head(head))
    // As large as those that come over a network: who takes them expects no whole body at once.
    let size = 64 << 10
    guard data.count > size else { return data.isEmpty ? events : events + [.chunk(data)] }
    for start in stride(from: data.startIndex, to: data.endIndex, by: size) {
      events.append(.chunk(Data(data[start..<min(start + size, data.endIndex)])))
    }
    return events
  }
}
