// A test that has moved, of Docs/FromCombine.md.
import RESTKitTesting
import RESTKitTestingTraits
import Streams
import StreamsTesting
import Testing

extension FromCombine {
  final class SearchWords: Sendable {
    let typed = PassthroughSubject<String, APIError>()
    let words: AnyPublisher<String, APIError>

    init(scheduler: any Scheduler) {
      words = typed.debounce(for: .milliseconds(300), scheduler: scheduler).eraseToAnyPublisher()
    }
  }

  @Suite("The words of a search")
  struct SearchWordsTests {
    // snippet: tests
    @Test("The search takes the word that stays for 300 ms, and ends with a failure")
    func words() {
      let time = TestScheduler()
      let search = SearchWords(scheduler: time)
      let seen = TestSubscriber<String, APIError>()
      search.words.receive(subscriber: seen)

      search.typed.send("te")
      search.typed.send("tea")
      #expect(seen.values.isEmpty)
      time.advance(by: .milliseconds(300))
      #expect(seen.values == ["tea"])

      search.typed.send(completion: .failure(.empty))
      time.advance(by: .zero)
      #expect(seen.failure == .empty)
    }
    // end
  }
}
