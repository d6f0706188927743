import Foundation
import HTTPWire
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A transport: it carries a request to a server and returns the response.
///
/// Engines, stubs and test servers implement it.
///
/// A transport makes one exchange for each subscription. It follows no redirect, stores no cookie
/// and answers no challenge, since RESTKit handles a 3xx and a 401. A response with any status is a
/// value; a failure means that there is no whole response. A cancel ends the exchange, and closes
/// or frees its connection. A subscriber that blocks does not delay another exchange of the
/// transport, as long as no more of them block than the transport states.
public protocol Transport: Sendable {
  /// The limits on the size of a response.
  ///
  /// They also apply to the part of a response that RESTKit itself collects.
  var limits: TransportLimits { get }

  /// The observer of the calls that use the transport.
  ///
  /// The default is nil.
  ///
  /// A transport that forwards requests to another transport returns that transport's observer.
  var observer: CallObserver? { get }

  /// The identity of the transport: what it shares with others.
  ///
  /// Calls over transports with the same identity may share an exchange and stored responses.
  ///
  /// The default for an object is the object. For a value it is ``TransportIdentity/unshared``:
  /// nothing is shared or stored. A transport that forwards requests unchanged to another transport
  /// returns that transport's identity.
  var identity: TransportIdentity { get }

  /// Notes that a cache answered a request, so that it was not sent.
  ///
  /// The default does nothing.
  ///
  /// It runs before the response is delivered. A transport that forwards requests to another
  /// transport calls that transport's method, too.
  func noteCacheHit(_ response: RESTResponse, for request: URLRequest)

  /// Returns a publisher of the whole response to a request.
  ///
  /// - Parameter request: The request. Its `timeoutInterval`, in seconds, is the time limit of the
  ///   whole exchange. If it is not positive or not finite, there is no limit.
  func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error>

  /// Returns a publisher of the exchange in pieces: the progress of the request's body, then the
  /// response's head, then its body in chunks on demand.
  ///
  /// - Parameters:
  ///   - request: The request. Its `timeoutInterval`, in seconds, is the longest time without
  ///     activity of the server: until the head, and between two pieces. It is also the longest
  ///     time without a chunk of a body that comes in chunks.
  ///   - body: The body, which is read while it is sent; nil if the request has its own body, or
  ///     none.
  func events(
    for request: URLRequest, body: RequestBody?
  ) -> AnyPublisher<TransferEvent, any Error>
}

extension Transport {
  /// The default limits.
  public var limits: TransportLimits { TransportLimits() }

  public var observer: CallObserver? { nil }

  public var identity: TransportIdentity { .unshared }

  public func noteCacheHit(_ response: RESTResponse, for request: URLRequest) {}

  /// Returns the exchange in pieces, made of a whole exchange.
  ///
  /// It is for a transport that has no other way.
  ///
  /// The whole body is in memory before it is sent. The whole response is in memory before it is
  /// delivered, in chunks of 64 KiB.
  public func events(
    for request: URLRequest, body: RequestBody?
  ) -> AnyPublisher<TransferEvent, any Error> {
    wholeEvents(for: request, body: body) { response(for: $0) }
  }

  /// Returns the exchange in pieces for a request that has its own body, or none.
  public func events(for request: URLRequest) -> AnyPublisher<TransferEvent, any Error> {
    events(for: request, body: nil)
  }
}

extension Transport {
  /// Returns the exchange in pieces, made of a whole exchange.
  ///
  /// - Parameter exchange: Returns the response to a request that has its body in memory.
  func wholeEvents(
    for request: URLRequest, body: RequestBody?,
    by exchange: @escaping @Sendable (URLRequest) -> AnyPublisher<RESTResponse, any Error>
  ) -> AnyPublisher<TransferEvent, any Error> {
    guard let body else { return exchange(request).wholeEvents(sent: request.httpBody?.count) }
    return body.failingInSilence(of: request.timeLimit).collected()
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
  public var identity: TransportIdentity { TransportIdentity(of: self) }
}

extension Publisher<RESTResponse, any Error> {
  /// Returns the pieces of the response.
  ///
  /// - Parameter sent: The size of the sent body in bytes; nil if none was sent.
  func wholeEvents(sent: Int?) -> AnyPublisher<TransferEvent, any Error> {
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
    // This is the size of chunks from a network: subscribers do not expect a whole body at once.
    let size = 64 << 10
    guard data.count > size else { return data.isEmpty ? events : events + [.chunk(data)] }
    for start in stride(from: data.startIndex, to: data.endIndex, by: size) {
      events.append(.chunk(Data(data[start..<min(start + size, data.endIndex)])))
    }
    return events
  }
}
