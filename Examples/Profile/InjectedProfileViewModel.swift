import IdentityKit
import RESTKit
import Streams

/// The model of ``ProfileViewModel``, with its service injected by a property wrapper.
@MainActor public final class InjectedProfileViewModel {
  public private(set) var label = "…"

  @DependencyInjected(\.profileService) private var service
  private var cancellables = Set<AnyCancellable>()

  public init() {}

  public func load() {
    service.fetchProfile
      .map { result in (try? result.get()).map { "Hello, \($0.firstName)" } ?? "Sign in first" }
      .sink(on: .mainActor) { [weak self] in self?.label = $0 }
      .store(in: &cancellables)
  }
}
