import StreamsCombine

#if canImport(Combine)
  import Combine
#else
  import OpenCombine
#endif

// snippet: screen
/// Not moved yet: the file imports Combine and StreamsCombine.
final class ProfileScreen {
  let edits = PassthroughSubject<String, Never>()
  private(set) var title = "…"
  private var cancellables = Set<AnyCancellable>()

  func show(_ profile: Profile) {
    profile.names.combinePublisher
      .map { "Hello, \($0)" }
      .sink { [weak self] in self?.title = $0 }
      .store(in: &cancellables)
  }
}
// end
