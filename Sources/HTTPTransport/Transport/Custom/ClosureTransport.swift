import Dispatch
import Foundation
import HTTPWire
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A transport that answers with a closure, for previews, demo modes and short tests.
///
/// ```swift
/// let api = ShopAPI(
///   transport: ClosureTransport { request in
///     .json(#"{"id": 7, "sku": "A-1"}"#, to: request)
///   })
/// ```
///
/// The closure runs once for each exchange, with a valid request: other requests fail as on every
/// transport. It may return any status but 101, which no request asks for. An error that it throws
/// becomes the call's error. A ``TransportError``, for a fault of the network, becomes a
/// ``RESTError``; other errors stay unchanged. As over a network, a HEAD, a 204 and a 304 have no
/// body, and a response that exceeds the limits is a fault.
///
/// A synchronous closure runs on the subscribing thread, and its response arrives there. An
/// asynchronous closure runs in a task. The task is cancelled with the subscription, or when the
/// request's `timeoutInterval` has passed; the call ends then, even if the closure continues. Its
/// response arrives on a queue of its subscription, so a subscriber that blocks delays no other
/// call, as long as fewer than about 250 queues of the process are blocked.
///
/// In pieces, the head and the body arrive when the closure has returned. The request's body is in
/// memory before the closure runs.
public final class ClosureTransport: Transport {
  private enum ResponseMaker: Sendable {
    case atOnce(@Sendable (URLRequest) throws -> RESTResponse)
    case awaited(@Sendable (URLRequest) async throws -> RESTResponse)
  }

  public let limits: TransportLimits

  /// An identity of its own.
  public let identity = TransportIdentity()

  private let answer: ResponseMaker

  /// Makes a transport with a synchronous closure.
  ///
  /// - Parameters:
  ///   - limits: The limits on the size of a response.
  ///   - answer: A closure that answers a request on the subscribing thread. A body is in its
  ///     `httpBody`.
  public init(
    limits: TransportLimits = TransportLimits(),
    _ answer: @escaping @Sendable (URLRequest) throws -> RESTResponse
  ) {
    self.limits = limits
    self.answer = .atOnce(answer)
  }

  /// Makes a transport with an asynchronous closure.
  ///
  /// - Parameters:
  ///   - limits: The limits on the size of a response.
  ///   - answer: A closure that answers a request in a task of its own. A body is in its
  ///     `httpBody`.
  public init(
    limits: TransportLimits = TransportLimits(),
    _ answer: @escaping @Sendable (URLRequest) async throws -> RESTResponse
  ) {
    self.limits = limits
    self.answer = .awaited(answer)
  }

  public func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    exchange(request, isCollected: true)
  }

  public func events(
    for request: URLRequest, body: RequestBody?
  ) -> AnyPublisher<TransferEvent, any Error> {
    Deferred { [self] in
      if let refusal = ClosureExchange.refusal(of: request, body: body) {
        return Fail<TransferEvent, any Error>(error: refusal).eraseToAnyPublisher()
      }
      return wholeEvents(for: request, body: body) { self.exchange($0, isCollected: false) }
    }
    .eraseToAnyPublisher()
  }

  /// - Parameter isCollected: Whether the limits on whole bodies apply.
  private func exchange(
    _ request: URLRequest, isCollected: Bool
  ) -> AnyPublisher<RESTResponse, any Error> {
    let exchange = ClosureExchange(request: request, limits: limits, isCollected: isCollected)
    return Single { [answer] resolve in
      if let refusal = ClosureExchange.refusal(of: request) {
        resolve(.failure(refusal))
        return Subscriptions.empty
      }
      switch answer {
      case .atOnce(let answer):
        resolve(exchange.result(of: Result { try answer(request) }))
        return Subscriptions.empty
      case .awaited(let answer):
        return Self.run(answer, exchange, resolve)
      }
    }
    .eraseToAnyPublisher()
  }

  private static func run(
    _ answer: @escaping @Sendable (URLRequest) async throws -> RESTResponse,
    _ exchange: ClosureExchange,
    _ resolve: @escaping Single<RESTResponse, any Error>.Resolve
  ) -> any Cancellable {
    // A serial queue gets a thread at once; Swift's tasks have only as many threads as there are
    // processors.
    let queue = DispatchQueue(label: "RESTKit.ClosureTransport")
    let task = Task {
      var result: Result<RESTResponse, any Error>
      do { result = .success(try await answer(exchange.request)) } catch {
        result = .failure(error)
      }
      result = exchange.result(of: result)
      queue.async { [result] in resolve(result) }
    }
    let alarm = exchange.request.timeLimit.map { limit in
      queue.schedule(after: limit) { resolve(.failure(exchange.timeout(after: limit))) }
    }
    // This also runs after a timeout, so the task of a slow closure is cancelled.
    return AnyCancellable {
      alarm?.cancel()
      task.cancel()
    }
  }
}

/// One request to a closure, with the rules for its response.
struct ClosureExchange: Sendable {
  let request: URLRequest
  let limits: TransportLimits
  /// Whether the limits on whole bodies apply.
  let isCollected: Bool

  /// Returns the reason why a request cannot be sent, or nil if it can.
  static func refusal(of request: URLRequest, body: RequestBody? = nil) -> RESTError? {
    do throws(TransportError) {
      try request.validateForSending(body: body)
      return nil
    } catch {
      return RESTError(error, request: RequestSummary(request))
    }
  }

  /// Returns the fault of a closure that exceeds the request's time limit.
  func timeout(after limit: Duration) -> RESTError {
    failure(.afterSending(.timedOut, "after \(limit)"))
  }

  /// Returns the closure's result, changed as a network would change it.
  func result(of answer: Result<RESTResponse, any Error>) -> Result<RESTResponse, any Error> {
    do {
      return .success(try checked(try answer.get()))
    } catch let fault as TransportError {
      return .failure(failure(fault))
    } catch {
      return .failure(error)
    }
  }

  private func checked(_ response: RESTResponse) throws -> RESTResponse {
    let status = response.statusCode
    var heads = HeadMeter(limits)
    if let limit = heads.take(response.headers) { throw heads.fault(limit, status: status) }
    let fault =
      ResponseFraming.faultOfSwitch(status: status) ?? ResponseFraming.fault(of: response.headers)
    if let fault { throw fault.behind(status: status) }
    guard !isBodiless(status) else { return response.replacingData(with: Data()) }
    var body = BodyMeter(limits, isCollected: isCollected)
    body.take(encoded: response.data.count)
    do throws(TransportError) {
      try body.take(decoded: response.data.count, status: status)
    } catch {
      throw RESTError(
        error, request: RequestSummary(request), head: isCollected ? response.head : nil)
    }
    return response
  }

  /// Whether a response to the request has no body, regardless of its head (RFC 9112 §6.3).
  private func isBodiless(_ status: Int) -> Bool {
    request.method == .head || status < 200 || status == 204 || status == 304
  }

  private func failure(_ fault: TransportError) -> RESTError {
    RESTError(fault, request: RequestSummary(request))
  }
}
