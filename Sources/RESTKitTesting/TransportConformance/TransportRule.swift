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
  case promptHead, promptChunks, earlyResponse

  /// The number of the rule, as `T-1`.
  public var id: String {
    "T-\((Self.allCases.firstIndex(of: self) ?? 0) + 1)"
  }

  /// The rule in a sentence.
  public var sentence: String {
    switch self {
    case .requests: "Method, target, headers and body arrive as they are."
    case .refusals: "An invalid request is refused before it is sent, and the error names its part."
    case .laziness: "Nothing is sent before a subscription, and each subscription sends once."
    case .uploads: "A body of data, a file or chunks arrives whole, and its progress is reported."
    case .bodyFailures: "A body that fails, or has another length, fails the request."
    case .onceOnly: "A body that can be sent only once is not sent a second time."
    case .bodyCancel: "A canceled request cancels the publisher of its body."
    case .statuses: "A response of any status is a value, with its head and its body."
    case .headerLines: "Header lines with one name stay separate lines, in their order."
    case .bodiless: "HEAD, 204 and 304 have no body, and the next call does not wait for one."
    case .codings: "A content coding is decoded, or is a fault; encoded bytes are never delivered."
    case .redirects: "A redirect is a value, and not followed."
    case .challenges: "A challenge is a value, with its body, and not answered."
    case .cookies: "No cookie is kept."
    case .cache: "Nothing is cached: each call reaches the server."
    case .refused: "A port without a listener refuses the connection, and nothing was processed."
    case .unknownHost: "A name without an address is not found, and nothing was processed."
    case .noTLS: "A server without TLS is a TLS fault, and nothing was processed."
    case .closed: "A close before the first byte has its own kind of fault."
    case .reset: "A reset has its own kind of fault."
    case .cut: "A body that ends early is a fault, and never counts as a whole one."
    case .packedCut: "A compressed body that ends early is a fault, even if its length is right."
    case .malformed: "A response that is not HTTP is malformed."
    case .twoLengths: "A head with two lengths is malformed."
    case .noRepeat: "A POST is not repeated on a dead kept-alive connection."
    case .wholeRepeat: "A request repeated after a dead kept-alive connection is repeated whole."
    case .secrets: "No failure shows a query or a header's value."
    case .bodyLimit: "A whole body over the limit is a fault that names the limit."
    case .headerLimit: "Headers over the limits are a fault that names the limit."
    case .deadline: "The time-out of a whole exchange ends it, and not earlier."
    case .silence: "In pieces, a silence of the server for that time ends the exchange."
    case .pieces: "In pieces, the head comes once, and then the chunks of the body."
    case .demand: "Exactly the demanded pieces come."
    case .beyondLimit: "A body over the limit for whole bodies may come in pieces."
    case .cancel: "A cancel closes the connection, and nothing comes after it."
    case .lifetime: "A running call keeps its transport; a released one closes its connections."
    case .crowd: "A hundred calls at once each get their own response."
    case .nesting: "A call may be made from inside a delivery."
    case .blocking: "A subscriber that does not return does not delay another call."
    case .promptHead: "In pieces, the head does not wait for the body."
    case .promptChunks: "In pieces, bytes that have arrived do not wait for more."
    case .earlyResponse: "A response that comes before the request's body was sent is a value."
    }
  }
}

extension TransportRule: CustomStringConvertible {
  public var description: String { "\(id) \(rawValue): \(sentence)" }
}
