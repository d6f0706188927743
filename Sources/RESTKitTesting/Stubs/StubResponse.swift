import Foundation
import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A response that a stub makes of a request.
///
/// ```swift
/// StubAPIResponse(request: StubRequest(.put, path: "/v1/orders/*")) { request in
///   StubResponse(headers: ["ETag": "\"2\""], result: .success(request.httpBody ?? Data()))
/// }
/// ```
public struct StubResponse: Sendable {
  /// The status.
  public var statusCode: Int
  /// The header fields.
  public var headers: HTTPHeaders
  /// The body, or the fault or error that the exchange fails with.
  public var result: Result<Data, any Error>
  /// The delay of the response, on the transport's scheduler, in addition to the stub's.
  public var delay: Duration
  let flow: StubFlow?

  /// Creates a response.
  ///
  /// - Parameters:
  ///   - statusCode: The status.
  ///   - headers: The header fields.
  ///   - result: The body, or the error that the exchange fails with.
  ///   - delay: The delay of the response, on the transport's scheduler.
  public init(
    statusCode: Int = 200, headers: HTTPHeaders = [:],
    result: Result<Data, any Error> = .success(Data()), delay: Duration = .zero
  ) {
    self.statusCode = statusCode
    self.headers = headers
    self.result = result
    self.delay = delay
    flow = nil
  }

  /// Creates a response whose body arrives in pieces.
  ///
  /// - Parameters:
  ///   - statusCode: The status.
  ///   - headers: The header fields.
  ///   - pieces: The body, each piece with the wait before it, on the transport's scheduler.
  ///   - end: The end of the body.
  ///   - delay: The delay before the head.
  public init(
    statusCode: Int = 200, headers: HTTPHeaders = [:], pieces: [StubPiece],
    end: BodyEnd = .complete, delay: Duration = .zero
  ) {
    self.statusCode = statusCode
    self.headers = headers
    self.delay = delay
    result = .success(Data())
    flow = StubFlow(pieces: pieces, end: end)
  }
}

extension StubAPIResponse {
  /// A closure that makes the response of a request, or throws.
  public typealias Responder = @Sendable (URLRequest) throws -> StubResponse

  /// Begins a script with a response that a closure makes of the request.
  ///
  /// - Parameters:
  ///   - request: The request that this response answers.
  ///   - delay: The delay of the response, on the transport's scheduler.
  ///   - fileID: The module and file of the call, for reports.
  ///   - filePath: The path of the file.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  ///   - responder: The closure. It runs for each request that gets this response, on the thread
  ///     that subscribes, in memory and over a socket. The request has its body in `httpBody`. An
  ///     error that it throws fails the call and the test with a
  ///     ``StubFailure/Kind/responseFailed``. Return `result: .fault(…)` for a fault of the exchange.
  public init(
    request: StubRequest, delay: Duration = .zero, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    responder: @escaping Responder
  ) {
    self.init(
      request: request, delay: delay, fileID: fileID, filePath: filePath, line: line,
      column: column)
    changeLast { $0.responder = responder }
  }

  /// Adds a response that a closure makes of the request.
  ///
  /// - Parameters:
  ///   - request: The request that this response answers.
  ///   - delay: The delay of the response, on the transport's scheduler.
  ///   - fileID: The module and file of the call, for reports.
  ///   - filePath: The path of the file.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  ///   - responder: The closure.
  public func thenRespondWith(
    request: StubRequest, delay: Duration = .zero, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    responder: @escaping Responder
  ) -> StubAPIResponse {
    StubAPIResponse(
      steps: steps
        + StubAPIResponse(
          request: request, delay: delay, fileID: fileID, filePath: filePath, line: line,
          column: column, responder: responder
        ).steps)
  }
}
