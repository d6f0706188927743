import Streams
import StreamsTesting
import Testing

@Suite("Completions with any Error are comparable", .leakFree)
struct CompletionComparisonTests {
  private enum Equal: Error, Equatable {
    case first, second
  }

  private struct Other: Error, Equatable {}

  private struct Unequal: Error {}

  private func completion(
    of publisher: some Publisher<Int, any Error>
  ) -> Subscribers.Completion<any Error>? {
    let subscriber = TestSubscriber<Int, any Error>()
    publisher.receive(subscriber: subscriber)
    return subscriber.completion
  }

  @Test("A finished completion equals .finished and no failure")
  func finished() {
    let end = completion(of: Just(1).setFailureType(to: (any Error).self))
    #expect(end == .finished)
    #expect(end != .failure(Equal.first))
    #expect(end != nil)
  }

  @Test("A running stream has no completion, which equals only nil")
  func running() {
    let end = completion(of: PassthroughSubject<Int, any Error>())
    #expect(end == nil)
    #expect(end != .finished)
  }

  @Test("Failures of one Equatable type compare by value, and all others differ")
  func failures() {
    let end = completion(of: Fail(error: Equal.first))
    #expect(end == .failure(Equal.first))
    #expect(end != .failure(Equal.second))
    #expect(end != .failure(Other()))
    #expect(end != .finished)
    #expect(completion(of: Fail(error: Unequal())) != .failure(Unequal()))
  }
}
