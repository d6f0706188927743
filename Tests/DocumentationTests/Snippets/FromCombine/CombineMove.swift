// A model that has moved, of Docs/FromCombine.md.
import Streams

extension FromCombine {
  // snippet: moved
  @MainActor final class Titles {
    private(set) var names: [String] = []
    private(set) var seen = 0
    let text = PassthroughSubject<String, APIError>()
    let prefix = CurrentValueSubject<String, Never>("1")
    private var cancellables = Set<AnyCancellable>()

    init(suffix: String) {
      let shown: AnyPublisher<String, Never> =
        text
        .tryMap(Self.checked)
        .replaceError(with: "nothing")
        .withLatestFrom(prefix) { name, prefix in "\(prefix): \(name)" }
        .map { [suffix] in $0 + suffix }
        .share()
        .eraseToAnyPublisher()
      shown.scan([]) { names, name in names + [name] }
        .assign(to: \.names, on: self)
        .store(in: &cancellables)
      shown.sink(on: .mainActor) { [weak self] _ in self?.seen += 1 }
        .store(in: &cancellables)
    }

    private nonisolated static func checked(_ name: String) throws(APIError) -> String {
      guard !name.isEmpty else { throw .empty }
      return name
    }
  }
  // end
}
