import Streams
import StreamsFixtures
import StreamsTesting

extension ConformanceEntry {
  static let publishers: [ConformanceEntry] = single + many + asynchronous

  private static let single: [ConformanceEntry] = [
    .publisher("Just") { _ in Just(1) },
    .publisher("Empty") { _ in Empty<Int, ConformanceError>() },
    .publisher("Empty", "without an end", skipping: [.progress: "it is silent on purpose"]) { _ in
      Empty<Int, ConformanceError>(completeImmediately: false)
    },
    .publisher("Fail") { _ in Fail<Int, ConformanceError>(error: ConformanceError()) },
    .publisher("Optional") { _ in Optional(1).publisher },
    .publisher("Optional", "none") { _ in Int?.none.publisher },
    .publisher("Result") { _ in Result<Int, ConformanceError>.success(1).publisher },
    .publisher("Result", "failure") { _ in
      Result<Int, ConformanceError>.failure(ConformanceError()).publisher
    },
    .publisher("Future", skipping: [.laziness: "it is eager on purpose"]) { rig in
      Future<Int, ConformanceError> { promise in promise(.success(rig.pass(1))) }
    },
    .publisher("Single") { rig in
      Single<Int, ConformanceError> { resolve in
        resolve(.success(rig.pass(1)))
        return AnyCancellable { rig.touch() }
      }
    },
    .publisher("Single", "of a result") { _ in Single<Int, ConformanceError>(.success(1)) },
    .publisher("SingleFlight") { rig in
      SingleFlight<String, Int, ConformanceError>().publisher(for: "key") {
        Just(rig.pass(1)).setFailureType(to: ConformanceError.self)
      }
    },
  ]

  private static let many: [ConformanceEntry] = [
    .publisher("Sequence") { $0.values.publisher },
    .publisher("Sequence", "by name") { Publishers.Sequence($0.values) },
    .publisher("Sequence", "empty") { _ in [Int]().publisher },
    .publisher("Sequence", "endless") { _ in (1...).publisher },
    .publisher("Deferred") { rig in
      Deferred {
        rig.touch()
        return rig.values.publisher
      }
    },
    .publisher("DeferredInContext") { rig in
      DeferredInContext { _ in
        rig.touch()
        return rig.values.publisher
      }
    },
    .publisher("Record") { rig in
      Record<Int, ConformanceError>(output: Array(rig.values), completion: .finished)
    },
    .publisher("Record", "failure") { rig in
      Record<Int, ConformanceError>(
        output: Array(rig.values), completion: .failure(ConformanceError()))
    },
    .publisher("Timer", isLossy: true) {
      rig in
      Publishers.Timer(every: .microseconds(100), on: rig.scheduler)
    },
    .publisher("AnyPublisher") { $0.values.publisher.eraseToAnyPublisher() },
  ]

  private static let asynchronous: [ConformanceEntry] = [
    .publisher("Single", "of an async closure", isAsynchronous: true) { rig in
      Single<Int, ConformanceError> { () async throws(ConformanceError) -> Int in rig.pass(1) }
    },
    .publisher(
      "AsyncElements", isAsynchronous: true,
      skipping: [.promptEnd: "only the next element's absence tells the end"]
    ) { rig in
      AsyncNumbers(rig: rig).publisher
    },
  ]

  static let subjects: [ConformanceEntry] = [
    .subject("PassthroughSubject") { PassthroughSubject<Int, ConformanceError>() },
    .subject("CurrentValueSubject") { CurrentValueSubject<Int, ConformanceError>(0) },
    .subject("ReplaySubject") { ReplaySubject<Int, ConformanceError>(bufferSize: 2) },
    .subject("ReplaySubject", "without memory") {
      ReplaySubject<Int, ConformanceError>(bufferSize: 0)
    },
  ]

  static let all =
    transforming + filtering + folding + throwing + combining + recovering + timing
    + secondPlaces + publishers + subjects
}

/// The kit's numbers, one by one.
private struct AsyncNumbers: AsyncSequence, Sendable {
  let rig: ConformanceRig

  func makeAsyncIterator() -> Iterator { Iterator(rig: rig) }

  struct Iterator: AsyncIteratorProtocol {
    let rig: ConformanceRig
    var last = 0

    mutating func next() async throws(ConformanceError) -> Int? {
      guard last < rig.count else { return nil }
      last = rig.pass(last + 1)
      return last
    }
  }
}
