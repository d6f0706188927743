import Foundation
import Streams

/// A limit that keeps retries from making an outage worse: a bucket of retries for each host, which
/// only successes refill.
///
/// While all requests to a host fail, all calls that share a budget make at most `burst` retries to
/// it together. While some requests succeed, there is at most one retry for each
/// `successesPerRetry` of them. If the host's bucket is empty, a call delivers its last outcome at
/// once.
///
/// ```swift
/// let budget = RetryBudget()
/// let orders = ShopAPI(retry: RetryPolicy(budget: budget))
/// let stock = StockAPI(retry: RetryPolicy(maxAttempts: 2, budget: budget))
/// ```
///
/// A host is identified together with its scheme and port. A budget is safe to use from any thread.
public final class RetryBudget: Sendable {
  /// The maximum number of retries of a host without a success in between.
  public let burst: Int
  /// The number of successes that give back one retry.
  public let successesPerRetry: Int

  /// The missing content of the buckets that are not full, in units of one success.
  private let missing = Lock<[Origin: Int64]>([:])

  /// - Parameters:
  ///   - burst: The maximum number of retries of a host without a success in between. There are
  ///     none if it is not positive.
  ///   - successesPerRetry: The number of successes that give back one retry; at least one.
  public init(burst: Int = 10, successesPerRetry: Int = 10) {
    self.burst = min(max(burst, 0), 1_000_000)
    self.successesPerRetry = min(max(successesPerRetry, 1), 1_000_000)
  }

  /// Returns the number of retries that a host has left.
  ///
  /// - Parameter url: Any URL of the host.
  public func remaining(for url: URL) -> Int {
    let origin = Origin(url)
    return missing.withLock { left($0[origin] ?? 0) }
  }

  /// A full budget with the same rules, which shares nothing with this one.
  var separate: RetryBudget { RetryBudget(burst: burst, successesPerRetry: successesPerRetry) }

  /// Fills all buckets.
  func fill() {
    missing.withLock { $0 = [:] }
  }

  /// Whether the buckets of all hosts are full.
  var isFull: Bool { missing.withLock { $0.isEmpty } }

  /// Takes one retry.
  ///
  /// - Returns: The number of retries that are left; nil, and nothing is taken, if the bucket is
  ///   empty.
  func take(for origin: Origin) -> Int? {
    missing.withLock { missing in
      let sum = (missing[origin] ?? 0) + Int64(successesPerRetry)
      guard sum <= whole else { return nil }
      missing[origin] = sum
      return left(sum)
    }
  }

  /// Records a response that shows that the host works.
  func noteSuccess(of origin: Origin) {
    missing.withLock { missing in
      guard let sum = missing[origin] else { return }
      // A full bucket is removed, so that there are never more buckets than hosts that failed.
      missing[origin] = sum > 1 ? sum - 1 : nil
    }
  }

  /// The content of a full bucket, in successes.
  private var whole: Int64 { Int64(burst) * Int64(successesPerRetry) }

  private func left(_ missing: Int64) -> Int {
    // It is at most the burst.
    Int(clamping: (whole - missing) / Int64(successesPerRetry))
  }
}
