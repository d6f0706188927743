/// A promise of every transport that ``TransportConformance`` checks.
public enum TransportRule: String, Sendable, Hashable, CaseIterable {
  // Requests.
  case requests, refusals, laziness, uploads, bodyFailures, onceOnly, bodyCancel

  // Responses.
  case statuses, headerLines, bodiless, codings, redirects, challenges, cookies, cache

  // Faults.
  case refused, unknownHost, noTLS, closed, reset, cut, packedCut, malformed, twoLengths
  case noRepeat, wholeRepeat, secrets

  // Limits.
  case bodyLimit, headerLimit, deadline, silence

  // Pieces and the end of a call.
  case pieces, demand, beyondLimit, cancel, lifetime, crowd, nesting, blocking

  // Promptness.
  case promptHead, promptChunks, earlyAnswer

  /// The number of the rule, as `T-1`.
  public var id: String {
    "T-\((Self.allCases.firstIndex(of: self) ?? 0) + 1)"
  }

  /// The rule in a sentence.
  public var sentence: String {
    switch self {
    case .requests: "Method, target, headers and body arrive as they are."
    case .refusals: "What cannot be sent is refused before it is, with its name."
    case .laziness: "Nothing is sent before a subscription, and each sends once."
    case .uploads: "A body of data, a file or chunks arrives whole, and its progress is told."
    case .bodyFailures: "A body that fails, or has another length, fails the request."
    case .onceOnly: "A body that can be sent once is not sent a second time."
    case .bodyCancel: "A cancelled request cancels the publisher of its body."
    case .statuses: "A response of any status is a value, with its head and its body."
    case .headerLines: "Header lines of one name stay lines of their own, in their order."
    case .bodiless: "HEAD, 204 and 304 have no body, and the next call does not wait for one."
    case .codings: "A content coding is undone, or a fault; never delivered as it came."
    case .redirects: "A redirect is a value, and not followed."
    case .challenges: "A challenge is a value, with its body, and not answered."
    case .cookies: "No cookie is kept."
    case .cache: "Nothing is cached: each call reaches the server."
    case .refused: "A port where nobody listens refuses, and nothing was processed."
    case .unknownHost: "A name without an address is not found, and nothing was processed."
    case .noTLS: "A server that speaks no TLS fails as TLS, and nothing was processed."
    case .closed: "A close before the first byte has its kind."
    case .reset: "A reset has its kind."
    case .cut: "A body that ends early is a fault, never a whole one."
    case .packedCut: "A compressed body that ends early is a fault, though its length is right."
    case .malformed: "What is not HTTP is malformed."
    case .twoLengths: "A head with two lengths is malformed."
    case .noRepeat: "A POST is not repeated on a dead kept-alive connection."
    case .wholeRepeat: "What is repeated on a dead kept-alive connection is repeated whole."
    case .secrets: "No failure tells a query or a header's value."
    case .bodyLimit: "A whole body over the limit is a fault that names the limit."
    case .headerLimit: "Headers over the limits are a fault that names the limit."
    case .deadline: "The time for a whole exchange ends it, not before."
    case .silence: "In pieces, a server that is silent for that time is given up."
    case .pieces: "In pieces come the head, once, then chunks that are the body."
    case .demand: "No piece comes that was not asked for, and all that are."
    case .beyondLimit: "A body over the limit on whole ones may come in pieces."
    case .cancel: "A cancel closes the connection, and nothing comes after it."
    case .lifetime: "A running call keeps its transport; one let go of closes its connections."
    case .crowd: "A hundred calls at once get each their own answer."
    case .nesting: "A call may be made from inside a delivery."
    case .blocking: "A subscriber that does not return does not delay another call."
    case .promptHead: "In pieces, the head does not wait for the body."
    case .promptChunks: "In pieces, bytes that have come do not wait for more."
    case .earlyAnswer: "An answer that comes before the request's body was sent is a value."
    }
  }
}

extension TransportRule: CustomStringConvertible {
  public var description: String { "\(id) \(rawValue): \(sentence)" }
}
