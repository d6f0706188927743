// The layers of an app as they are written with Combine: the second table of Docs/FromCombine.md, "The compiler says".
import Dispatch
import Foundation
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

struct Country: Decodable, Sendable {
  let name: String
}

struct CountriesAPI: RESTAPI {
  let baseURL = "https://api.example.com"
}

struct FirstCountry: Endpoint {
  typealias Response = Country
  let path: ResourcePath = "countries/first"
}

enum CountriesError: Error { case network(any Error) }

enum Loadable<Value> {
  case notRequested, isLoading, loaded(Value)
  case failed(any Error)
}

protocol CountriesRepository {
  func countries() -> AnyPublisher<[Country], any Error>
}

protocol SharedRepository: Sendable {
  func countries() -> AnyPublisher<[Country], any Error>
}

final class CountriesInteractor: Sendable {
  let shared: any SharedRepository
  // expected-error @+1 {{stored property 'repository' of 'Sendable'-conforming class 'CountriesInteractor' has non-Sendable type 'any CountriesRepository'}}
  let repository: any CountriesRepository

  init(shared: any SharedRepository, repository: any CountriesRepository) {
    (self.shared, self.repository) = (shared, repository)
  }

  func search(
    _ text: PassthroughSubject<String, Never>, in repository: any CountriesRepository
  ) -> AnyCancellable {
    // expected-error @+1 {{capture of 'repository' with non-Sendable type 'any CountriesRepository' in a '@Sendable' closure}}
    text.map { _ in repository.countries().replaceError(with: []) }.switchToLatest().sink { _ in }
  }

  func load(_ completion: @escaping (Result<[Country], any Error>) -> Void) -> AnyCancellable {
    // expected-error @+1 {{capture of 'completion' with non-Sendable type '(Result<[Country], any Error>) -> Void' in a '@Sendable' closure}}
    shared.countries().sink { completion($0) }
  }

  func names() -> AnyPublisher<[String], any Error> {
    // expected-error @+1 {{cannot convert return expression of type 'Publishers.Map<AnyPublisher<[Country], any Error>, [String]>' to return type 'AnyPublisher<[String], any Error>'}}
    shared.countries().map { $0.map(\.name) }
  }

  func show(_ show: @escaping @Sendable ([Country]) -> Void) -> AnyCancellable {
    // expected-error @+1 {{'sink(receiveValue:)' is unavailable: this publisher can fail: write sink { result in … } and switch over the Result, or add receiveCompletion:, or handle the failure first, as with replaceError(with:)}}
    shared.countries().sink(receiveValue: show)
  }
}

// expected-error @+1 3 {{type 'Loadable<[Country]>' does not conform to the 'Sendable' protocol}}
let state = CurrentValueSubject<Loadable<[Country]>, Never>(.notRequested)

func times(_ text: PassthroughSubject<String, Never>) {
  // expected-error @+1 {{argument type 'RunLoop' does not conform to expected type 'Scheduler'}}
  _ = text.receive(on: RunLoop.main)
  // expected-error @+1 {{cannot convert value of type 'Double' to expected argument type 'Duration'}}
  _ = text.debounce(for: 0.3, scheduler: DispatchQueue.main)
}

final class CountedRepository: SharedRepository {
  // expected-error @+1 {{stored property 'calls' of 'Sendable'-conforming class 'CountedRepository' is mutable}}
  var calls = 0

  func countries() -> AnyPublisher<[Country], any Error> {
    calls += 1
    return Empty().eraseToAnyPublisher()
  }
}

func widened(
  _ country: AnyPublisher<Country, CountriesError>
) -> AnyPublisher<Country, any Error> {
  // expected-error @+1 {{cannot convert return expression of type 'AnyPublisher<Country, CountriesError>' to return type 'AnyPublisher<Country, any Error>'}}
  country
}

func retried(_ api: CountriesAPI) -> AnyPublisher<Country, CountriesError> {
  api.publisher(for: FirstCountry()).mapError { CountriesError.network($0) }
    // expected-error @+1 {{'retry' is unavailable: a RetryPolicy decides by RESTError, so the failure must be 'any Error': put retry(_:) before the operator that changes the failure, such as mapError, or widen it with mapError { $0 }}}
    .retry(RetryPolicy())
    .eraseToAnyPublisher()
}

func name(of api: CountriesAPI) async throws -> Int {
  // expected-error @+1 {{instance method 'publisher(for:requestModifier:)' requires that 'FirstCountry.Response' (aka 'Country') conform to 'StreamedResponse'}}
  try await api.publisher(for: FirstCountry()).tryMap { $0.name }.value
  // expected-warning @-1 {{no 'async' operations occur within 'await' expression}}
  // expected-warning @-2 {{no calls to throwing functions occur within 'try' expression}}
}
