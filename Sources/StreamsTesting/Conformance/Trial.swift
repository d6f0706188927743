import Dispatch
import Foundation
import Streams

/// One provocation of a publisher, which makes it, subscribes probes, and advances the time.
struct Trial<Output: Sendable, Failure: Error>: Sendable {
  typealias Probe = ConformanceProbe<Output, Failure>
  typealias Stream = AnyPublisher<Output, Failure>

  /// The signals of an undisturbed publisher.
  struct Reference: Sendable {
    /// The first two hundred values.
    let texts: [String]
    let count: Int
    /// The number of values that must arrive, however they are requested.
    let due: Int
    let end: String?
  }

  /// The number of values of a publisher, unless a provocation needs more.
  static var size: Int { 10 }
  let make: @Sendable (ConformanceRig) -> Stream
  let traits: ConformanceTraits
  let log: ConformanceLog
  /// The minimum number of values, which is zero if the kit makes the source.
  var leastCount = 1
  let scheduler = TestScheduler()

  func publisher(
    count: Int = size, onTouch: @escaping @Sendable () -> Void = {},
    onRelease: @escaping @Sendable () -> Void = {}
  ) -> Stream {
    make(ConformanceRig(count: count, scheduler: scheduler, onTouch: onTouch, onRelease: onRelease))
  }

  /// Advances the time by a second, and waits for signals from elsewhere.
  ///
  /// - Parameter isThere: A closure that returns whether the due signals have arrived.
  func settle(_ probe: Probe, until isThere: (Probe.Record) -> Bool = { _ in true }) {
    scheduler.advance(by: .seconds(1))
    guard traits.isAsynchronous else { return }
    let deadline = DispatchTime.now() + traits.patience.inSeconds
    while !isThere(probe.record), probe.bell.wait(timeout: deadline) == .success {}
  }

  /// Returns the signals for unlimited demand, up to a number that ends an endless publisher.
  func reference(count: Int = size) -> Reference {
    let limit = 16 * count + 16
    let probe = Probe(ConformanceLog(""), demand: .max(limit))
    publisher(count: count).subscribe(probe)
    settle(probe) { $0.end != nil || $0.values >= limit }
    let record = probe.record
    if record.end == nil { probe.cancel() }
    return Reference(
      texts: record.texts, count: record.values, due: traits.isLossy ? 0 : record.values,
      end: record.end)
  }
}
