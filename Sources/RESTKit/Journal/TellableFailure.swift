/// A failure that says of itself what a log may tell.
protocol TellableFailure: Error {
  /// One word, of few, for programs: `401`, `timedOut`, `decoding`.
  var failureClass: String { get }
  /// What happened, in words, without a secret.
  var reason: String { get }
}
