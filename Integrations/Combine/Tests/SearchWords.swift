#if canImport(Combine)
  import Combine
#else
  import OpenCombine
#endif

/// A model that is written with Combine and has its scheduler given.
final class SearchWords {
  let typed = PassthroughSubject<String, Never>()
  private(set) var searched: [String] = []
  private var cancellables = Set<AnyCancellable>()

  init<S: Scheduler>(scheduler: S) {
    typed
      .debounce(for: .milliseconds(300), scheduler: scheduler)
      .sink { [weak self] in self?.searched.append($0) }
      .store(in: &cancellables)
  }
}
