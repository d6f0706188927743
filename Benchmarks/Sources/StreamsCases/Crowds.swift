import Cases
import Streams

/// Many subscribers of one publisher, which subscribe and cancel.
enum Crowds {
  @inline(never)
  static func leaving(_ size: Int) -> Int {
    let subject = PassthroughSubject<Int, Never>()
    let sum = Sum()
    let sinks = (0..<size).map { _ in subject.sink { sum.add($0) } }
    for sink in sinks { sink.cancel() }
    subject.send(1)
    return sum.value
  }

  @inline(never)
  static func clearingSet(_ size: Int) -> Int {
    let subject = PassthroughSubject<Int, Never>()
    let sum = Sum()
    var sinks: Set<AnyCancellable> = []
    for _ in 0..<size { subject.sink { sum.add($0) }.store(in: &sinks) }
    sinks.removeAll()
    subject.send(1)
    return sum.value
  }

  @inline(never)
  static func replayEnd(_ size: Int) -> Int {
    let subject = ReplaySubject<Int, Never>(bufferSize: 1)
    return ends(of: subject, size) { subject.send(completion: .finished) }
  }

  @inline(never)
  static func sharedEnd(_ size: Int) -> Int {
    let subject = PassthroughSubject<Int, Never>()
    return ends(of: subject.share(replay: 1), size) { subject.send(completion: .finished) }
  }

  @inline(never)
  static func flight(_ size: Int) -> Int {
    let subject = PassthroughSubject<Int, Never>()
    let flights = SingleFlight<Int, Int, Never>()
    return ends(of: flights.publisher(for: 1) { subject }, size) {
      subject.send(1)
      subject.send(completion: .finished)
    }
  }

  /// Returns the number of subscribers that an end reaches.
  @inline(__always)
  private static func ends(
    of publisher: some Publisher<Int, Never>, _ size: Int, end: () -> Void
  ) -> Int {
    let sum = Sum()
    let sinks = (0..<size).map { _ in
      publisher.sink(receiveCompletion: { _ in sum.add(1) }, receiveValue: { _ in })
    }
    end()
    withExtendedLifetime(sinks) {}
    return sum.value
  }
}
