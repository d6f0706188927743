import Foundation
import Streams

/// Keeps retries from making an outage worse: a bucket of retries for each host, which only
/// successes fill again.
///
/// While a host fails altogether, all calls that share a budget make no more than `burst` retries
/// to it, however many calls there are; while some of its answers are good, no more than one retry
/// for so many of them. A call whose host has none left gets its last outcome at once.
///
/// ```swift
/// let budget = RetryBudget()
/// let orders = ShopAPI(retry: RetryPolicy(budget: budget))
/// let stock = StockAPI(retry: RetryPolicy(maxAttempts: 2, budget: budget))
/// ```
///
/// Hosts are told apart with their scheme and port. A budget is safe to use from any thread.
public final class RetryBudget: Sendable {
  /// How many retries a host may have without one success in between.
  public let burst: Int
  /// How many successes give back one retry.
  public let successesPerRetry: Int

  /// What is missing in the buckets that are not full, in units of one success.
  private let missing = Lock<[Origin: Int]>([:])

  /// - Parameters:
  ///   - burst: How many retries a host may have without one success in between; none if it is not
  ///     positive.
  ///   - successesPerRetry: How many successes give back one retry; at least one.
  public init(burst: Int = 10, successesPerRetry: Int = 10) {
    self.burst = min(max(burst, 0), 1_000_000)
    self.successesPerRetry = min(max(successesPerRetry, 1), 1_000_000)
  }

  /// How many retries a host may have now.
  ///
  /// - Parameter url: Any URL of the host.
  public func remaining(for url: URL) -> Int {
    let origin = Origin(url)
    return missing.withLock { left($0[origin] ?? 0) }
  }

  /// A full one with the same rules, that shares nothing with this.
  var separate: RetryBudget { RetryBudget(burst: burst, successesPerRetry: successesPerRetry) }

  /// Forgets what was used.
  func fill() {
    missing.withLock { $0 = [:] }
  }

  /// Whether no host has used any.
  var isFull: Bool { missing.withLock { $0.isEmpty } }

  /// Takes one retry.
  ///
  /// - Returns: How many are left after it; nil, and nothing is taken, where there is none.
  func take(for origin: Origin) -> Int? {
    missing.withLock { missing in
      let sum = (missing[origin] ?? 0) + successesPerRetry
      guard sum <= burst * successesPerRetry else { return nil }
      missing[origin] = sum
      return left(sum)
    }
  }

  /// Notes an answer that shows the host at work.
  func noteSuccess(of origin: Origin) {
    missing.withLock { missing in
      guard let sum = missing[origin] else { return }
      // A full bucket is not kept, so that there are no more of them than hosts that failed.
      missing[origin] = sum > 1 ? sum - 1 : nil
    }
  }

  private func left(_ missing: Int) -> Int {
    (burst * successesPerRetry - missing) / successesPerRetry
  }
}
