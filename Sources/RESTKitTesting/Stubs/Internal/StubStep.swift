import Foundation
import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One response of a script.
struct StubStep: Sendable {
  let request: StubRequest
  let statusCode: Int
  let headers: HTTPHeaders
  var result: Result<Data, any Error>
  let delay: Duration
  let location: StubLocation
  /// Where it was recorded, such as `orders.har, entry 2`; nil where it was written.
  var source: String?
  var verifications: [StubVerification] = []
  /// How often it must and may be asked for.
  var uses = 1...1
  /// nil for all at once.
  var bytesPerSecond: Int?
  /// The body in pieces; nil where it comes whole.
  var flow: StubFlow?

  var fault: StubFault? {
    guard case .failure(let error) = result else { return nil }
    return error as? StubFault
  }

  /// Why no server could give it; nil where one can.
  var flaw: String? {
    guard flow != nil, headers.contains("Content-Length"), !headers.contains("Transfer-Encoding"),
      MockFieldSyntax.length(in: headers.values(for: "Content-Length")) == nil
    else { return nil }
    return "the Content-Length of its pieces is no number of bytes"
  }

  /// What the answer to a request has for a body (RFC 9110 §6.4.1).
  func body(for request: URLRequest) -> Data {
    guard HTTPStatus.allowsBody(statusCode, to: request.httpMethod) else { return Data() }
    return (try? result.get()) ?? Data()
  }

  /// The body of the answer to a request as it comes, and how that ends.
  ///
  /// Of a fault, what comes before it.
  func flow(for request: URLRequest) -> StubFlow {
    guard HTTPStatus.allowsBody(statusCode, to: request.httpMethod) else {
      // Nothing can go wrong in a body that there is not.
      return StubFlow(pieces: [], end: .complete)
    }
    if let end = fault?.bodyEnd { return StubFlow(pieces: [StubPiece(Self.half)], end: end) }
    return flow?.announced(by: headers)
      ?? StubFlow(pieces: [StubPiece(body(for: request))], end: .complete)
  }

  /// Half of the body that a fault cuts short.
  static let half = Data(count: 500)

  /// The time that so many bytes take.
  func time(for bytes: Int) -> Duration {
    bytesPerSecond.map { .seconds(bytes) / $0 } ?? .zero
  }
}

extension StubStep: CustomStringConvertible {
  /// Such as `GET https://h/a → 200 (ShopTests/OrderTests.swift:12)`.
  var description: String {
    let outcome =
      switch result {
      case .success where flow?.end ?? .complete != .complete:
        "\(statusCode) with \(flow?.end ?? .complete)"
      case .success: "\(statusCode)"
      case .failure(let fault as StubFault): "\(fault)"
      case .failure: "failure"
      }
    return "\(request) → \(outcome) (\(source ?? location.description))"
  }
}

/// A response of a script that is played: one reference to count, since each exchange copies it.
final class StubPlay: Sendable {
  let step: StubStep
  /// That no server could give it; nil where one can.
  let flaw: StubFailure?

  init(_ step: StubStep) {
    self.step = step
    flaw = .flaw(of: step)
  }
}

/// What looks at a request.
struct StubVerification: Sendable {
  let location: StubLocation
  let body: StubAPIResponse.Verification
}
