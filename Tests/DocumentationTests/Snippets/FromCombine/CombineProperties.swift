// A property of a screen that a pipeline reads, of Docs/FromCombine.md.
import Observation
import Streams

extension FromCombine {
  // snippet: property
  @MainActor @Observable final class Cart {
    private(set) var items: [String] = [] {
      didSet { changes.send(items) }
    }
    /// In the place of `$items`.
    @ObservationIgnored nonisolated let changes = CurrentValueSubject<[String], Never>([])
    private(set) var count = 0
    @ObservationIgnored private var cancellables = Set<AnyCancellable>()

    init(added: some Publisher<String, Never>) {
      changes.map(\.count)
        .sink(on: .mainActor) { [weak self] in self?.count = $0 }
        .store(in: &cancellables)
      added.sink(on: .mainActor) { [weak self] in self?.items.append($0) }
        .store(in: &cancellables)
    }
  }
  // end
}
