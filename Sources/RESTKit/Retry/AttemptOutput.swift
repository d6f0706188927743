import Foundation
import Streams

/// An output that shows the outcome of its attempt.
///
/// The outcome of an attempt with other outputs is its end.
protocol AttemptOutput: Sendable {
  /// Whether an attempt is one exchange for one whole response, which the policy's times may cut
  /// off.
  static var isWhole: Bool { get }
  /// Whether some outputs are parts of a content, which must not be delivered twice.
  static var hasParts: Bool { get }

  /// Whether this output is such a part.
  var isPart: Bool { get }

  /// Returns the outcome that this output shows; nil if the attempt goes on.
  ///
  /// - Parameter now: A closure that returns the time of day.
  func outcome(now: () -> Date) -> AttemptOutcome?
}

extension AttemptOutput {
  static var isWhole: Bool { false }
  static var hasParts: Bool { false }
  var isPart: Bool { false }
}

extension RESTResponse: AttemptOutput {
  static var isWhole: Bool { true }

  func outcome(now: () -> Date) -> AttemptOutcome? {
    // Another attempt would find the same stored response.
    isFromCache ? nil : AttemptOutcome(self, now: now())
  }
}

extension UploadEvent: AttemptOutput {
  func outcome(now: () -> Date) -> AttemptOutcome? {
    guard case .response(let response) = self else { return nil }
    return AttemptOutcome(response, now: now())
  }
}

extension DownloadEvent: AttemptOutput {
  func outcome(now: () -> Date) -> AttemptOutcome? {
    guard case .finished = self else { return nil }
    return .status(200, retryAfter: nil)
  }
}

extension TransferEvent: AttemptOutput {
  static var hasParts: Bool { true }

  var isPart: Bool {
    if case .chunk = self { true } else { false }
  }

  func outcome(now: () -> Date) -> AttemptOutcome? {
    guard case .head(let head) = self else { return nil }
    return .status(head.statusCode, retryAfter: head.headers.retryAfter(now: now()))
  }
}
