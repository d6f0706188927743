import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("C-5: very many attempts and nested sends on the stack of a secondary thread", .leakFree)
struct LoopDepthTests {
  typealias Retried = @Sendable (_ source: IntStream) -> IntStream

  /// Each starts its source again a given number of times.
  static let retries: [Setup<Retried>] = [
    Setup("retry") { $0.retry(manyTimes).any },
    Setup("retryOn") { $0.retryOn(.first, retries: manyTimes, chainedPublisher: Just(0)).any },
    Setup("retryOn, of many chained values") {
      $0.retryOn(.first, retries: manyTimes, chainedPublisher: [1, 2].publisher).any
    },
    Setup("retry(backoff:)") { source in
      source.retry(
        backoff: Publishers.Backoff(maxRetries: manyTimes, baseDelay: .zero, jitter: .none),
        scheduler: .immediate
      ).any
    },
    Setup("share, retry") { $0.share().retry(manyTimes).any },
    Setup("share(replay:), retry") { $0.share(replay: 1).retry(manyTimes).any },
    Setup("multicast, autoconnect, retry") { source in
      source.multicast { PassthroughSubject() }.autoconnect().retry(manyTimes).any
    },
    Setup("SingleFlight, retry") { source in
      let flights = SingleFlight<Int, Int, TestError>()
      return flights.publisher(for: 0) { source }.retry(manyTimes).any
    },
    Setup("retry of retry") { $0.retry(9).retry(manyTimes / 10 - 1).any },
    Setup("catch, retry") { $0.catch { Fail<Int, TestError>(error: $0) }.retry(manyTimes).any },
    Setup("flatMap, retry") { source in
      Just(0).flatMap { _ in source }.retry(manyTimes).any
    },
    Setup("receive(on:), retry") { $0.receive(on: .immediate).retry(manyTimes).any },
  ]

  @Test("C-5: very many attempts", arguments: retries)
  func attempts(retry: Setup<Retried>) {
    attempts(retry, of: "Fail")
  }

  @Test(
    "C-5: very many attempts of other sources", arguments: ["Single", "values, then a failure"])
  func sources(source: String) {
    attempts(Self.retries[0], of: source)
  }

  private func attempts(_ retry: Setup<Retried>, of source: String) {
    let attempts = Tally()
    let ends = Tally()
    #expect(
      runsOnSmallStack(within: 120) {
        let stream =
          switch source {
          case "Fail":
            Deferred {
              attempts.add()
              return Fail<Int, TestError>(error: .first)
            }.any
          case "Single":
            Single<Int, TestError> { resolve in
              attempts.add()
              resolve(.failure(.first))
              return AnyCancellable {}
            }.any
          default:
            Deferred {
              attempts.add()
              return failing(1, 2)
            }.any
          }
        retry.make(stream).sink(receiveCompletion: { _ in ends.add() }, receiveValue: { _ in })
          .cancel()
      })
    #expect(attempts.count >= manyTimes)
    #expect(ends.count == 1)
  }

  @Test("C-5: very many sends, each from inside the one before", arguments: Sharing.subjects)
  func nestedSends(kind: Setup<Sharing.MakeSubject>) {
    let seen = Tally()
    #expect(
      runsOnSmallStack {
        let subject = kind.make()
        let subscriber = TestSubscriber<Void, TestError>()
        subject.eraseToAnyPublisher().handleEvents(receiveOutput: { value in
          seen.add()
          if value >= 0, value < manyTimes { subject.send(value + 1) }
        }).ignoreOutput().map { _ in }.subscribe(subscriber)
        subject.send(1)
        subscriber.cancel()
      })
    #expect(seen.count >= manyTimes)
  }
}
