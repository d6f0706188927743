import Foundation
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

typealias WholeExchange = AnyPublisher<RESTResponse, any Error>
typealias PiecesExchange = AnyPublisher<TransferEvent, any Error>

/// A transport that passes exchanges on, but for what is spoiled.
struct SpoiledTransport: Transport {
  var limits: TransportLimits
  var whole: @Sendable (URLRequest) -> WholeExchange
  var pieces: @Sendable (URLRequest, RequestBody?) -> PiecesExchange

  init(_ inner: any Transport) {
    limits = inner.limits
    whole = { inner.response(for: $0) }
    pieces = { inner.events(for: $0, body: $1) }
  }

  func response(for request: URLRequest) -> WholeExchange { whole(request) }

  func events(for request: URLRequest, body: RequestBody?) -> PiecesExchange {
    pieces(request, body)
  }
}

/// A failure that is none of a transport's.
struct BreakError: Error, CustomStringConvertible {
  var description = "broken on purpose"
}

extension Publisher where Output == RESTResponse, Failure == any Error {
  /// Returns the response as an exchange in pieces.
  func inPieces() -> PiecesExchange {
    flatMap { response -> PiecesExchange in
      let events = [TransferEvent.head(response.head)]
      return (response.data.isEmpty ? events : events + [.chunk(response.data)]).publisher
        .setFailureType(to: (any Error).self).eraseToAnyPublisher()
    }.eraseToAnyPublisher()
  }
}

extension Publisher where Output == TransferEvent, Failure == any Error {
  /// Returns the pieces as a whole response.
  func asWhole(_ request: URLRequest) -> WholeExchange {
    collect().tryMap { events in try RESTResponse(events, to: request) }.eraseToAnyPublisher()
  }

  /// Returns the exchange as it ends where its failure is taken for an end.
  func endingWithFailure() -> PiecesExchange { `catch` { _ in Empty() }.eraseToAnyPublisher() }

  func mapHead(
    _ transform: @escaping @Sendable (ResponseHead) throws -> ResponseHead
  ) -> PiecesExchange {
    tryMap { event in
      guard case .head(let head) = event else { return event }
      return .head(try transform(head))
    }.eraseToAnyPublisher()
  }

  func mapChunks(_ transform: @escaping @Sendable (Data) -> Data) -> PiecesExchange {
    compactMap { event -> TransferEvent? in
      guard case .chunk(let chunk) = event else { return event }
      let changed = transform(chunk)
      return changed.isEmpty ? nil : .chunk(changed)
    }.eraseToAnyPublisher()
  }
}

extension RESTResponse {
  fileprivate init(_ events: [TransferEvent], to request: URLRequest) throws {
    var (head, data) = (ResponseHead?.none, Data())
    for event in events {
      switch event {
      case .sent: break
      case .head(let first): head = first
      case .chunk(let chunk): data += chunk
      }
    }
    guard let head else { throw BreakError(description: "no head") }
    self.init(head: head, data: data, request: RequestSummary(request))
  }

  func replacing(head: ResponseHead? = nil, data: Data? = nil) -> RESTResponse {
    RESTResponse(head: head ?? self.head, data: data ?? self.data, request: request)
  }
}

extension ResponseHead {
  func replacing(url: URL? = nil, status: Int? = nil, headers: HTTPHeaders? = nil) -> ResponseHead {
    ResponseHead(
      url: url ?? self.url, statusCode: status ?? statusCode, headers: headers ?? self.headers)
  }
}

extension URLRequest {
  /// Returns a whole exchange that answers by itself.
  func answered(_ status: Int, _ text: String = "", headers: HTTPHeaders = [:]) -> WholeExchange {
    guard let url else { return Fail(error: BreakError()).eraseToAnyPublisher() }
    return Just(
      RESTResponse(
        head: ResponseHead(url: url, statusCode: status, headers: headers), data: Data(text.utf8),
        request: RequestSummary(self))
    ).setFailureType(to: (any Error).self).eraseToAnyPublisher()
  }

  func setting(_ value: String?, for name: String) -> URLRequest {
    var copy = self
    copy.setValue(value, forHTTPHeaderField: name)
    return copy
  }

  func setting(method: String) -> URLRequest {
    var copy = self
    copy.httpMethod = method
    return copy
  }

  func setting(body: Data?) -> URLRequest {
    var copy = self
    copy.httpBody = body
    return copy
  }

  func setting(time: Double) -> URLRequest {
    var copy = self
    copy.timeoutInterval = time
    return copy
  }
}

extension TransportError {
  /// The fault in an error of a transport; nil in any other.
  init?(of error: any Error) {
    let fault =
      error as? TransportError ?? (error as? RESTError)?.underlyingError as? TransportError
    guard let fault else { return nil }
    self = fault
  }

  func replacing(
    kind: Kind? = nil, detail: String? = nil, mayHaveBeenProcessed: Bool? = nil,
    status: Int? = nil
  ) -> TransportError {
    TransportError(
      kind: kind ?? self.kind, detail: detail ?? self.detail,
      mayHaveBeenProcessed: mayHaveBeenProcessed ?? self.mayHaveBeenProcessed,
      statusCode: status ?? statusCode)
  }
}
