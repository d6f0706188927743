// The layers of an app that have moved, of Docs/FromCombine.md.
import Streams
import Synchronization

extension FromCombine {
  nonisolated struct Country: Decodable, Sendable, Equatable {
    let name: String
  }

  // snippet: layers
  protocol CountriesRepository: Sendable {
    func countries() -> AnyPublisher<[Country], any Error>
  }

  enum Loadable<Value: Sendable>: Sendable {
    case notRequested, isLoading, loaded(Value)
    case failed(any Error)
  }

  @MainActor final class CountriesInteractor {
    private(set) var state = Loadable<[Country]>.notRequested
    private let repository: any CountriesRepository
    private var cancellables = Set<AnyCancellable>()

    init(repository: any CountriesRepository) {
      self.repository = repository
    }

    func load(completion: @escaping @MainActor @Sendable ([Country]?) -> Void) {
      state = .isLoading
      repository.countries()
        .sink(on: .mainActor) { [weak self] result in
          switch result {
          case .success(let countries): self?.state = .loaded(countries)
          case .failure(let error): self?.state = .failed(error)
          }
          completion(try? result.get())
        }
        .store(in: &cancellables)
    }
  }

  final class CountedRepository: CountriesRepository {
    let calls = Mutex(0)

    func countries() -> AnyPublisher<[Country], any Error> {
      calls.withLock { $0 += 1 }
      return Just([Country(name: "Chad")])
        .setFailureType(to: (any Error).self)
        .eraseToAnyPublisher()
    }
  }
  // end
}
