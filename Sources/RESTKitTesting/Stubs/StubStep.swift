import Foundation
import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One response of a script.
struct StubStep: Sendable {
  let request: StubRequest
  var statusCode: Int
  var headers: HTTPHeaders
  var result: Result<Data, any Error>
  var delay: Duration
  let location: StubLocation
  /// The recorded entry, such as `orders.har, entry 2`, or the file of the response; nil if the
  /// test wrote it.
  var source: String?
  /// The recorded request; nil if the test wrote the response.
  var recorded: RecordedRequest?
  var verifications: [StubVerification] = []
  /// The number of times that it must and may be used.
  var uses = 1...1
  /// The speed of the body; nil if all of it arrives at once.
  var bytesPerSecond: Int?
  /// The body in pieces; nil for a whole one.
  var flow: StubFlow?
  /// The closure that makes it of the request; nil if the test wrote it.
  var responder: StubAPIResponse.Responder?
  /// The changes that a seed draws.
  var chances: [StubChance] = []
  /// What its text hides; nil for nothing.
  var redaction: Redaction?

  var fault: StubFault? {
    guard case .failure(let error) = result else { return nil }
    return error as? StubFault
  }

  /// Whether the request's body is sent before its outcome.
  var sendsBody: Bool {
    guard case .failure(let error) = result else { return true }
    let fault =
      (error as? StubFault)?.transportFault(status: statusCode) ?? error as? TransportError
    return fault.map { $0.mayHaveBeenProcessed && $0.kind != .sendFailed } ?? false
  }

  /// The reason why no server could send it, and the remedy; nil if one can.
  var flaw: (reason: String, remedy: String)? {
    guard recorded == nil else { return nil }
    guard 200...999 ~= statusCode || statusCode == 101 else {
      let isInterim = 100...199 ~= statusCode
      return (
        isInterim
          ? "\(statusCode) is the status of an interim response, behind which another one comes"
          : "its status is not in 200...999", "Give it another status."
      )
    }
    if let fault = MockResponse(status: 200, headers: Array(headers)).fault {
      return (fault, "Correct it. For broken syntax use .raw of MockServer.")
    }
    guard flow != nil, headers.contains("Content-Length"), !headers.contains("Transfer-Encoding"),
      MockFieldSyntax.length(in: headers.values(for: "Content-Length")) == nil
    else { return nil }
    return (
      "the Content-Length of its pieces is not a number of bytes",
      "Set it to the length of the pieces, or remove it. For broken syntax use .raw of MockServer."
    )
  }

  /// Returns the body of the response to a request (RFC 9110 §6.4.1).
  func body(for request: URLRequest) -> Data {
    guard HTTPStatus.allowsBody(statusCode, to: request.httpMethod) else { return Data() }
    return (try? result.get()) ?? Data()
  }

  /// Returns the fields of the response to a request.
  ///
  /// A HEAD names the length of the body that is not sent (RFC 9110 §9.3.2).
  func headers(for request: URLRequest) -> HTTPHeaders {
    guard request.httpMethod == "HEAD", case .success(let data) = result, !data.isEmpty,
      flow == nil, HTTPStatus.allowsBody(statusCode, to: nil), !headers.contains("Content-Length"),
      !headers.contains("Transfer-Encoding")
    else { return headers }
    var headers = headers
    headers.append(name: "Content-Length", value: "\(data.count)")
    return headers
  }

  /// Returns the pieces and the end of the body of the response to a request.
  ///
  /// For a fault, returns the pieces before it.
  func flow(for request: URLRequest) -> StubFlow {
    guard HTTPStatus.allowsBody(statusCode, to: request.httpMethod) else {
      // A body that does not exist cannot fail.
      return StubFlow(pieces: [], end: .complete)
    }
    if let end = fault?.bodyEnd {
      return StubFlow(pieces: [StubPiece(Self.half)], end: end).announced(by: headers)
    }
    if let fault, fault.isOfReading {
      return StubFlow(pieces: [], recordedEnd: .failure(fault.transportFault(status: statusCode)))
    }
    return (flow ?? StubFlow(pieces: StubPiece.pieces(of: body(for: request)), end: .complete))
      .announced(by: headers)
  }

  /// Half of the body that a fault cuts short.
  static let half = Data(count: 500)

  /// Returns the time that this many bytes take.
  func time(for bytes: Int) -> Duration {
    bytesPerSecond.map { .seconds(bytes) / $0 } ?? .zero
  }
}

extension StubStep {
  /// Returns the response to a request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - use: The number of its use, from 1.
  func made(of request: URLRequest, use: Int) throws -> StubStep {
    var step = self
    if let responder {
      let made = try responder(request)
      step.responder = nil
      step.statusCode = made.statusCode
      step.headers = made.headers
      step.result = made.result
      step.delay += made.delay
      step.flow = made.flow
    }
    for chance in chances { chance.apply(to: &step, use: use) }
    return step
  }

  /// Returns the same response whose text hides these secrets, too.
  func hiding(_ redaction: Redaction?) -> StubStep {
    var step = self
    step.redaction = redaction
    return step
  }
}

extension StubStep: CustomStringConvertible {
  /// A text such as `GET https://h/a → 200 (ShopTests/OrderTests.swift:12)`.
  var description: String {
    let outcome =
      switch result {
      case _ where responder != nil: "a closure's response"
      case .success where flow?.end ?? .complete != .complete:
        "\(statusCode) with \(flow?.end ?? .complete)"
      case .success: "\(statusCode)"
      case .failure(let fault as StubFault): "\(fault)"
      case .failure(let fault as TransportError): "\(StubFault(fault.kind))"
      case .failure: "failure"
      }
    let line = redaction.map(request.line(hiding:)) ?? request.description
    return "\(line) → \(outcome) (\(source ?? location.description))".printable
  }
}

/// A response of a script that is played.
///
/// It is a class, because each exchange copies it and then counts one reference.
final class StubPlay: Sendable {
  let step: StubStep
  /// That no server could give it; nil where one can.
  let flaw: StubFailure?
  /// Whether no rule changes a response with this head, as those of most stubs.
  let hasPlainHead: Bool

  init(_ step: StubStep) {
    self.step = step
    hasPlainHead =
      step.statusCode != 101 && step.headers.count < 20
      && step.headers.allSatisfy { name, value in
        name.utf8.count + value.utf8.count < 1_000 && !value.hasBlankEnd
          && !Self.framing.contains { HTTPHeaders.isSameName($0, name) }
      }
    flaw = .unmade(step) ?? .flaw(of: step)
  }

  /// The fields that tell how a body is to be read.
  private static let framing = ["Content-Encoding", "Content-Length", "Transfer-Encoding"]
}

extension StubFailure {
  /// Returns a failure if the body of a response could not be made, or nil.
  fileprivate static func unmade(_ step: StubStep) -> StubFailure? {
    guard case .failure(let error) = step.result else { return nil }
    let text: String
    switch error {
    case is StubFileError: text = "\(error)"
    case is FixtureError, is EncodingError: text = "\(step) has no body: \(error)"
    default: return nil
    }
    return StubFailure(.invalidStub, at: step.location, text, underlyingError: error)
  }
}

/// A check of a request.
struct StubVerification: Sendable {
  let location: StubLocation
  let body: StubAPIResponse.Verification
}
