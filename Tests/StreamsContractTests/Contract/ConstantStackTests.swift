import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("C-5: constant stack", .leakFree)
struct ConstantStackTests {
  @Test("C-5: very many retryOn attempts whose chained publisher ends at once")
  func retriesOn() {
    let attempts = Tally()
    let refreshes = Tally()
    let ends = Tally()
    #expect(
      runsOnSmallStack {
        let source = Deferred {
          attempts.add()
          return Fail(outputType: Int.self, failure: TestError.first)
        }
        let refresh = Deferred {
          refreshes.add()
          return Just("token")
        }
        _ = source.retryOn(.first, retries: manyTimes, chainedPublisher: refresh).sink(
          receiveCompletion: { _ in ends.add() }, receiveValue: { _ in })
      })
    #expect(attempts.count == manyTimes + 1)
    #expect(refreshes.count == manyTimes)
    #expect(ends.count == 1)
  }

  @Test(
    "C-5: very many children of flatMap",
    arguments: [Subscribers.Demand.unlimited, .max(1)], [1, 3])
  func children(maxPublishers: Subscribers.Demand, size: Int) {
    let seen = Tally()
    let ends = Tally()
    #expect(
      runsOnSmallStack {
        _ = (0..<manyTimes).publisher
          .flatMap(maxPublishers: maxPublishers) { ($0..<($0 + size)).publisher }
          .sink(receiveCompletion: { _ in ends.add() }, receiveValue: { _ in seen.add() })
      })
    #expect(seen.count == manyTimes * size)
    #expect(ends.count == 1)
  }

  @Test(
    "C-5: very many empty children of flatMap", arguments: [Subscribers.Demand.unlimited, .max(1)])
  func emptyChildren(maxPublishers: Subscribers.Demand) {
    let ends = Tally()
    #expect(
      runsOnSmallStack {
        _ = (0..<manyTimes).publisher
          .flatMap(maxPublishers: maxPublishers) { _ in Empty<Int, Never>() }
          .sink(receiveCompletion: { _ in ends.add() }, receiveValue: { _ in })
      })
    #expect(ends.count == 1)
  }

  @Test("C-5: very many nested sends through receive(on: .immediate)")
  func nestedHops() {
    let seen = Tally()
    #expect(
      runsOnSmallStack {
        let subject = PassthroughSubject<Int, Never>()
        let cancellable = subject.receive(on: .immediate).sink { value in
          seen.add()
          if value < manyTimes { subject.send(value + 1) }
        }
        subject.send(1)
        cancellable.cancel()
      })
    #expect(seen.count == manyTimes)
  }
}
