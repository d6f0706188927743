import Streams
import StreamsCombine

// snippet: profile
/// Moved: the file imports Streams and StreamsCombine.
struct Profile {
  let names: AnyPublisher<String, Never>

  init(edits: some CombineFramework.Publisher<String, Never>) {
    names = edits.streamsPublisher
      .removeDuplicates()
      .share(replay: 1)
      .eraseToAnyPublisher()
  }
}
// end
