import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Synchronization
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A fault of a transport that one expectation of the kit finds.
struct TransportMutant: Sendable, CustomTestStringConvertible {
  typealias Call =
    @Sendable (any Transport, URLRequest) throws -> AnyPublisher<RESTResponse, any Error>
  typealias Exchange =
    @Sendable (any Transport, URLRequest, RequestBody?) throws -> AnyPublisher<
      TransferEvent, any Error
    >

  let rule: TransportRule
  let name: String
  /// A part of what the kit expected.
  let finding: String
  /// How long the kit waits, which matters only for a fault that shows in missing signals.
  let patience: Duration
  var call: Call = { $0.response(for: $1) }
  var exchange: Exchange = { $0.events(for: $1, body: $2) }
  var limits: @Sendable (TransportLimits) -> TransportLimits = { $0 }

  var testDescription: String { "\(rule.id) \(rule.rawValue): \(name)" }

  init(
    _ rule: TransportRule, _ name: String, _ finding: String,
    patience: Duration = .seconds(30), call: Call? = nil, exchange: Exchange? = nil
  ) {
    self.rule = rule
    self.name = name
    self.finding = finding
    self.patience = patience
    if let call { self.call = call }
    if let exchange { self.exchange = exchange }
  }

  /// Other requests leave.
  static func request(
    _ rule: TransportRule, _ name: String, _ finding: String,
    _ change: @escaping @Sendable (inout URLRequest) -> Void
  ) -> TransportMutant {
    @Sendable func changed(_ request: URLRequest) -> URLRequest {
      var request = request
      change(&request)
      return request
    }
    return TransportMutant(
      rule, name, finding, call: { $0.response(for: changed($1)) },
      exchange: { $0.events(for: changed($1), body: $2) })
  }

  /// Other responses come.
  static func response(
    _ rule: TransportRule, _ name: String, _ finding: String,
    _ change: @escaping @Sendable (RESTResponse) throws -> RESTResponse
  ) -> TransportMutant {
    TransportMutant(
      rule, name, finding, call: { $0.response(for: $1).tryMap(change).eraseToAnyPublisher() })
  }

  /// Whole exchanges fail with another error.
  static func fault(
    _ rule: TransportRule, _ name: String, _ finding: String,
    _ change: @escaping @Sendable (TransportError) -> any Error
  ) -> TransportMutant {
    TransportMutant(
      rule, name, finding,
      call: { $0.response(for: $1).mapError { $0.changed(change) }.eraseToAnyPublisher() })
  }

  /// Exchanges in pieces fail with another error.
  static func faultInPieces(
    _ rule: TransportRule, _ name: String, _ finding: String,
    _ change: @escaping @Sendable (TransportError) -> any Error
  ) -> TransportMutant {
    TransportMutant(
      rule, name, finding,
      exchange: {
        $0.events(for: $1, body: $2).mapError { $0.changed(change) }.eraseToAnyPublisher()
      })
  }

  /// Other pieces come.
  static func pieces(
    _ rule: TransportRule, _ name: String, _ finding: String,
    _ change: @escaping @Sendable (TransferEvent) throws -> [TransferEvent]
  ) -> TransportMutant {
    TransportMutant(
      rule, name, finding,
      exchange: {
        $0.events(for: $1, body: $2).tryMap(change)
          .flatMap(maxPublishers: .max(1)) {
            $0.publisher.setFailureType(to: (any Error).self)
          }
          .eraseToAnyPublisher()
      })
  }

  /// A failure is hidden behind a response.
  static func success(_ rule: TransportRule, _ finding: String) -> TransportMutant {
    TransportMutant(
      rule, "takes a fault for a response", finding,
      call: { transport, request in
        let response = RESTResponse(
          head: ResponseHead(url: try #require(request.url), statusCode: 200), data: Data(),
          request: RequestSummary(request))
        return transport.response(for: request)
          .catch { _ in Just(response).setFailureType(to: (any Error).self) }
          .eraseToAnyPublisher()
      })
  }
}

/// A transport that is one of the mutants.
struct TamperedTransport: Transport {
  private let transport: any Transport
  private let mutant: TransportMutant

  init(_ transport: any Transport, _ mutant: TransportMutant) {
    self.transport = transport
    self.mutant = mutant
  }

  var limits: TransportLimits { mutant.limits(transport.limits) }

  func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    do {
      return try mutant.call(transport, request)
    } catch {
      return Fail(error: error).eraseToAnyPublisher()
    }
  }

  func events(
    for request: URLRequest, body: RequestBody?
  ) -> AnyPublisher<TransferEvent, any Error> {
    do {
      return try mutant.exchange(transport, request, body)
    } catch {
      return Fail(error: error).eraseToAnyPublisher()
    }
  }
}

/// A count of calls.
final class CallCount: Sendable {
  private let state = Mutex(0)

  var count: Int { state.withLock { $0 } }

  /// Counts a call, and returns its number, from one.
  @discardableResult
  func next() -> Int {
    state.withLock { count in
      count += 1
      return count
    }
  }
}

extension Error {
  /// The fault that this error is, or that it contains.
  var transportFault: TransportError? {
    self as? TransportError ?? (self as? RESTError)?.underlyingError as? TransportError
  }

  func changed(_ change: (TransportError) -> any Error) -> any Error {
    transportFault.map(change) ?? self
  }
}

extension TransportError {
  func with(
    kind: Kind? = nil, detail: String? = nil, processed: Bool? = nil, status: Int?? = nil
  ) -> TransportError {
    TransportError(
      kind: kind ?? self.kind, detail: detail ?? self.detail,
      mayHaveBeenProcessed: processed ?? mayHaveBeenProcessed, statusCode: status ?? statusCode)
  }
}

extension RESTResponse {
  func with(
    url: URL? = nil, status: Int? = nil, headers: HTTPHeaders? = nil, data: Data? = nil
  ) -> RESTResponse {
    RESTResponse(
      head: ResponseHead(
        url: url ?? self.url, statusCode: status ?? statusCode, headers: headers ?? self.headers),
      data: data ?? self.data, request: request)
  }
}

extension ResponseHead {
  func with(status: Int) -> ResponseHead {
    ResponseHead(url: url, statusCode: status, headers: headers)
  }
}

extension URLRequest {
  /// A request of the same trial without anything else.
  func bare(_ path: String = "/bare") throws -> URLRequest {
    let url = try #require(url.flatMap { URL(string: path, relativeTo: $0)?.absoluteURL })
    var request = URLRequest(url: url)
    request.setValue(value(forHTTPHeaderField: "X-Trial"), forHTTPHeaderField: "X-Trial")
    return request
  }

  var path: String { url?.path ?? "" }
}
