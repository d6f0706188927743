import Foundation
import HTTPTypes
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One exchange with a client, as a sequence of its events.
struct ClientExchange: AsyncSequence, Sendable {
  typealias Element = TransferEvent
  typealias Failure = any Error

  /// The parts that only an exchange in pieces has.
  struct Pieces: Sendable {
    let body: RequestBody?
    let clock: SilenceClock
  }

  let client: HTTPTypesTransport.Client
  let request: URLRequest
  let limits: TransportLimits
  /// Nil if the response is collected and the request has its body in memory.
  var pieces: Pieces?

  func makeAsyncIterator() -> ClientSteps { ClientSteps(self) }

  /// Returns the whole response.
  func response() async throws -> RESTResponse {
    var head: ResponseHead?
    var data = Data()
    for try await event in self {
      switch event {
      case .sent: break
      case .head(let first): head = first
      case .chunk(let chunk): data.append(chunk)
      }
    }
    // The exchange ends without a head only if the task is canceled.
    guard let head else { throw CancellationError() }
    return RESTResponse(head: head, data: data, request: RequestSummary(request))
  }

  /// Starts the client.
  ///
  /// - Throws: `TransportError` or ``HTTPTypesError`` for a request that cannot be sent.
  func start() throws -> PendingResponse {
    try request.validateForSending(body: pieces?.body)
    let message = try HTTPRequest(request)
    let data = request.httpBody ?? Data()
    let upload = try pieces.flatMap { pieces -> RequestUpload? in
      let body = pieces.body ?? (data.isEmpty ? nil : .data(data))
      return try body.map { RequestUpload(try $0.open(), clock: pieces.clock) }
    }
    let body = upload?.body ?? (data.isEmpty ? nil : HTTPMessageBody(data))
    return PendingResponse(upload: upload) { [client] in try await client(message, body) }
  }

  /// Returns the error of the exchange for an error inside it.
  func failure(for error: any Error, of upload: RequestUpload?) -> any Error {
    let reason = upload?.failure ?? error
    return switch reason {
    case let fault as TransportError: RESTError(fault, request: RequestSummary(request))
    case let error as HTTPTypesError: RESTError(error.fault, request: RequestSummary(request))
    default: reason
    }
  }
}
