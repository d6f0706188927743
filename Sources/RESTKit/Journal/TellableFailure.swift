/// A failure that declares the texts a log may show.
protocol TellableFailure: Error {
  /// One of few words, for programs: `401`, `timedOut`, `decoding`.
  var failureClass: String { get }
  /// The reason in words, without any secret.
  var reason: String { get }
}
