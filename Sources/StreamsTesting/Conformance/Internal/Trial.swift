import Dispatch
import Foundation
import Streams

/// One provocation of a publisher: makes it, subscribes probes, and lets time pass.
struct Trial<Output: Sendable, Failure: Error>: Sendable {
  typealias Probe = ConformanceProbe<Output, Failure>
  typealias Stream = AnyPublisher<Output, Failure>

  /// What a publisher does when it is left alone.
  struct Reference: Sendable {
    /// The first two hundred values.
    let texts: [String]
    let count: Int
    /// How many of them have to come, however they are asked for.
    let due: Int
    let end: String?
  }

  /// How many values a publisher is asked to have, unless a provocation needs more.
  static var size: Int { 10 }
  let make: @Sendable (ConformanceRig) -> Stream
  let traits: ConformanceTraits
  let log: ConformanceLog
  /// How many values there are at least: none, where the kit makes the source.
  var leastCount = 1
  let scheduler = TestScheduler()

  func publisher(
    count: Int = size, onTouch: @escaping @Sendable () -> Void = {},
    onRelease: @escaping @Sendable () -> Void = {}
  ) -> Stream {
    make(ConformanceRig(count: count, scheduler: scheduler, onTouch: onTouch, onRelease: onRelease))
  }

  /// Lets a second pass, and waits for signals that come from elsewhere.
  ///
  /// - Parameter isThere: Whether what is due has come.
  func settle(_ probe: Probe, until isThere: (Probe.Record) -> Bool = { _ in true }) {
    scheduler.advance(by: .seconds(1))
    guard traits.isAsynchronous else { return }
    let deadline = DispatchTime.now() + traits.patience.inSeconds
    while !isThere(probe.record), probe.bell.wait(timeout: deadline) == .success {}
  }

  /// What comes when everything is asked for, up to a number that ends what is endless.
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
