import Foundation
import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A script of a server's responses, in the order in which requests ask for them.
///
/// ```swift
/// let script = StubAPIResponse(
///   request: .init(.get, urlString: "https://id.example.com/me"), statusCode: 401
/// )
/// .thenRespondWith(
///   request: .init(.post, urlString: "https://id.example.com/auth/refresh"),
///   result: .json(#"{"result": {"accessToken": "fresh"}}"#)
/// )
/// .thenVerifyRequest { request in
///   #expect(request.httpMethod == "POST")
/// }
/// ```
///
/// Each response answers one request that matches its ``StubRequest``, unless it ``repeats(_:)`` or
/// is given ``always()``. A request that is out of order gets no response. For independent
/// requests, give a ``StubTransport`` several scripts.
public struct StubAPIResponse: Sendable {
  /// A closure that checks a request, and throws an error if the request is wrong.
  public typealias Verification = @Sendable (URLRequest) throws -> Void

  private(set) var steps: [StubStep]

  init(steps: [StubStep]) {
    self.steps = steps
  }

  /// Begins a script with its first response.
  ///
  /// - Parameters:
  ///   - request: The request that this response answers.
  ///   - statusCode: The status.
  ///   - headers: The header fields.
  ///   - result: The body, or the error that the exchange fails with.
  ///   - delay: The delay of the response, on the transport's scheduler. If it exceeds the
  ///     request's `timeoutInterval`, the exchange fails at that time, as over a network.
  ///   - fileID: The module and file of the call, for reports.
  ///   - filePath: The path of the file.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  public init(
    request: StubRequest, statusCode: Int = 200, headers: HTTPHeaders = [:],
    result: Result<Data, any Error> = .success(Data()), delay: Duration = .zero,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) {
    steps = [
      StubStep(
        request: request, statusCode: statusCode, headers: headers, result: result, delay: delay,
        location: StubLocation(fileID: fileID, filePath: filePath, line: line, column: column))
    ]
  }

  /// Adds the next response.
  ///
  /// - Parameters:
  ///   - request: The request that this response answers.
  ///   - statusCode: The status.
  ///   - headers: The header fields.
  ///   - result: The body, or the error that the exchange fails with.
  ///   - delay: The delay of the response, on the transport's scheduler. If it exceeds the
  ///     request's `timeoutInterval`, the exchange fails at that time, as over a network.
  ///   - fileID: The module and file of the call, for reports.
  ///   - filePath: The path of the file.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  public func thenRespondWith(
    request: StubRequest, statusCode: Int = 200, headers: HTTPHeaders = [:],
    result: Result<Data, any Error> = .success(Data()), delay: Duration = .zero,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) -> StubAPIResponse {
    var script = self
    script.steps +=
      StubAPIResponse(
        request: request, statusCode: statusCode, headers: headers, result: result, delay: delay,
        fileID: fileID, filePath: filePath, line: line, column: column
      ).steps
    return script
  }

  /// Checks the request that gets the last response, when it arrives.
  ///
  /// An error that the closure throws fails the exchange, and the test at this line, on any thread.
  /// ``StubTransport/verify()`` throws the error again. In a test that is verified as a whole
  /// (``StubTransport/verifyingAll(_:report:)``, the trait `.stubs`) the closure runs on the test's
  /// own task. If another task or thread sends the request, the closure runs when the test ends.
  ///
  /// - Parameters:
  ///   - fileID: The module and file of the call, for reports.
  ///   - filePath: The path of the file.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  ///   - verification: The check. It runs on the thread that subscribes.
  public func thenVerifyRequest(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column, _ verification: @escaping Verification
  ) -> StubAPIResponse {
    changingLast {
      $0.verifications.append(
        StubVerification(
          location: StubLocation(fileID: fileID, filePath: filePath, line: line, column: column),
          body: verification))
    }
  }

  /// Repeats the last response.
  ///
  /// A test must use it exactly `count` times; at most as often if it is ``optional()``.
  public func repeats(_ count: Int) -> StubAPIResponse {
    let count = max(1, count)
    return changingLast { $0.uses = ($0.uses.lowerBound == 0 ? 0 : count)...count }
  }

  /// Repeats the last response for every matching request.
  ///
  /// A test must use it at least once, unless it is ``optional()``.
  ///
  /// The script continues when a request arrives that matches the next response and not this one.
  public func always() -> StubAPIResponse {
    changingLast { $0.uses = min($0.uses.lowerBound, 1)...Int.max }
  }

  /// Allows the last response to remain unused, before or after ``repeats(_:)`` and ``always()``.
  public func optional() -> StubAPIResponse {
    changingLast { $0.uses = 0...$0.uses.upperBound }
  }

  /// Limits the speed of the last response's body.
  ///
  /// A piece arrives together with its last byte. Its own wait passes before its first byte.
  ///
  /// - Parameter bytesPerSecond: The speed in bytes per second, on the transport's scheduler.
  public func throttled(bytesPerSecond: Int) -> StubAPIResponse {
    changingLast { $0.bytesPerSecond = max(1, bytesPerSecond) }
  }

  func changingLast(_ change: (inout StubStep) -> Void) -> StubAPIResponse {
    var script = self
    script.changeLast(change)
    return script
  }

  mutating func changeLast(_ change: (inout StubStep) -> Void) {
    change(&steps[steps.count - 1])
  }
}

extension StubAPIResponse {
  /// Begins a script with a response whose body arrives in pieces.
  ///
  /// ```swift
  /// StubAPIResponse(
  ///   request: StubRequest(.get, path: "/v1/feed"),
  ///   pieces: ["data: a\n\n", .after(.seconds(2), "data: b\n\n")], end: .cut)
  /// ```
  ///
  /// A client that takes the response in pieces gets the head first, and then each piece: in memory
  /// exactly these pieces, over a socket the same bytes in chunks of any size. A client that takes
  /// the whole response gets all pieces together, or the failure of the end. The server keeps its
  /// times with or without demand. Pieces that have arrived wait for demand.
  ///
  /// The request's `timeoutInterval` limits the total time of a whole response, and each time
  /// without a byte of a response in pieces. A response that has no body by HTTP's rules is only
  /// its head.
  ///
  /// Without a `Content-Length` the body is chunked on a socket. With one, that many bytes are the
  /// whole body, and no more are sent. Fewer bytes are a cut body, even if `end` is
  /// ``BodyEnd/complete``. A `Content-Length` that is not a number of bytes fails the call with a
  /// ``StubError`` of kind ``StubFailure/Kind/invalidStub``.
  ///
  /// - Parameters:
  ///   - request: The request that this response answers.
  ///   - statusCode: The status.
  ///   - headers: The header fields.
  ///   - pieces: The body, each piece with the wait before it, on the transport's scheduler.
  ///   - end: The end of the body. A cut fails with `transport(.bodyCut)`, a reset with
  ///     `transport(.connectionReset)`, silence with `transport(.timedOut)`. On a socket, a reset
  ///     may discard bytes that the client has not read.
  ///   - delay: The delay before the head.
  ///   - fileID: The module and file of the call, for reports.
  ///   - filePath: The path of the file.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  public init(
    request: StubRequest, statusCode: Int = 200, headers: HTTPHeaders = [:], pieces: [StubPiece],
    end: BodyEnd = .complete, delay: Duration = .zero, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    self.init(
      request: request, statusCode: statusCode, headers: headers, delay: delay, fileID: fileID,
      filePath: filePath, line: line, column: column)
    changeLast { $0.flow = StubFlow(pieces: pieces, end: end) }
  }

  /// Adds a response whose body arrives in pieces.
  ///
  /// - Parameters:
  ///   - request: The request that this response answers.
  ///   - statusCode: The status.
  ///   - headers: The header fields.
  ///   - pieces: The body, each piece with the wait before it, on the transport's scheduler.
  ///   - end: The end of the body.
  ///   - delay: The delay before the head.
  ///   - fileID: The module and file of the call, for reports.
  ///   - filePath: The path of the file.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  public func thenRespondWith(
    request: StubRequest, statusCode: Int = 200, headers: HTTPHeaders = [:], pieces: [StubPiece],
    end: BodyEnd = .complete, delay: Duration = .zero, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> StubAPIResponse {
    thenRespondWith(
      request: request, statusCode: statusCode, headers: headers, delay: delay, fileID: fileID,
      filePath: filePath, line: line, column: column
    ).changingLast { $0.flow = StubFlow(pieces: pieces, end: end) }
  }
}
