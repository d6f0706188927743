import Foundation

extension MockResponse {
  /// The way in which a response is sent.
  ///
  /// ``whole``, ``paused(afterBytes:until:)``, ``chunked(_:)`` and ``pieces(_:end:)`` with a complete end
  /// keep the connection open. All other deliveries end it. A response that has no body by HTTP's rules (to
  /// `HEAD`; 1xx, 204, 304) is only its head in the deliveries that send a head.
  public enum Delivery: Sendable {
    /// The whole response.
    case whole

    /// The head, which announces the whole body, and the body's first bytes; then a close.
    case cut(afterBytes: Int)

    /// The head and the body's first bytes; the rest when the gate opens. With a gate that never opens, the
    /// server falls silent. While it waits, the server notices when the client closes.
    case paused(afterBytes: Int, until: MockGate)

    /// The head and these chunks with `Transfer-Encoding: chunked`. Empty chunks are left out.
    case chunked([Data])

    /// The same as ``chunked(_:)`` without the last chunk; then a close.
    case chunkedCut([Data])

    /// The head at once, then the body piece by piece, each after its wait or when its gate opens, and then
    /// the end.
    ///
    /// The pieces are sent with `Transfer-Encoding: chunked`, one chunk each. If the headers have a
    /// `Content-Length`, they are sent without chunks, and a complete end with fewer bytes than that is a
    /// close. Empty pieces only wait. While it waits, the server notices when the client closes.
    case pieces([MockPiece], end: BodyEnd = .complete)

    /// These bytes instead of a response; then a close.
    case raw(Data)

    /// These bytes instead of a response; then a reset of the connection (RST), which may discard bytes
    /// that the client has not read.
    case rawThenReset(Data)

    /// These bytes instead of a response, one at a time with this pause before each; then a close.
    case dripped(Data, every: Duration)

    /// These bytes instead of a response, and then the others again and again, until the client closes or
    /// the server stops.
    case endless(Data, repeating: Data)

    /// No byte; a close.
    case closeBeforeResponse

    /// No byte; a reset of the connection (RST).
    case resetBeforeResponse

    /// No byte, until the client closes or the server stops.
    case hang
  }
}
