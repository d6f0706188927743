// Types, captures and times that stand in tables of the guides, so that the compiler checks them.
// `TableTests` compares.
import Dispatch
import Foundation
import RESTKit
import Streams
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

enum TypeFragments {
  final class WebService: Sendable {
    let headers = Mutex<[String: String]>([:])
  }

  final class Wrapper<Output: Sendable>: Sendable {
    let subject: PassthroughSubject<Output, Never>

    init(_ subject: PassthroughSubject<Output, Never>) { self.subject = subject }
  }

  struct Answer<Body: Sendable>: Sendable {
    let body: Body
  }

  enum Log {
    static let isOn = Mutex(false)
  }

  final class Job: Sendable {
    let id = UUID()

    var identity: ObjectIdentifier { ObjectIdentifier(self) }
  }

  static func captured(
    _ urlRequest: URLRequest, work: @escaping @Sendable () -> Void
  ) -> (AnyPublisher<URLRequest, Never>, DispatchQueue, JSONValue, [String: any Sendable]) {
    let request = urlRequest.settingHeader("Accept-Language", to: "de")
    let queue = DispatchQueue(label: "work", qos: .utility)
    queue.async(execute: work)
    return (
      Deferred { [request] in Just(request) }.eraseToAnyPublisher(), queue, ["name": "tea"],
      ["name": "tea"]
    )
  }

  struct ImagesAPI: RESTAPI {
    let baseURL = "https://images.example.com"
  }

  @MainActor final class ProductList {
    private(set) var items: [Int] = []

    func follow(_ loaded: PassthroughSubject<[Int], Never>) -> AnyCancellable {
      loaded.assign(to: \.items, on: self)
    }
  }

  static func image(_ api: ImagesAPI, at url: URL) -> AnyPublisher<Data, any Error> {
    api.get(url: url).map(\.data)
      .catch { _ in api.get(url: url).validateStatus().map(\.data) }
      .eraseToAnyPublisher()
  }

  static func written(_ date: Date) -> String { date.formatted(Date.ISO8601FormatStyle()) }

  static func seconds(
    _ text: PassthroughSubject<String, Never>, queue: DispatchQueue
  ) -> AnyPublisher<Double, Never> {
    text.measureInterval(using: queue).map { $0 / .seconds(1) }.eraseToAnyPublisher()
  }
}

extension Publisher {
  nonisolated func end(
    receiveCompletion: @escaping @Sendable (Subscribers.Completion<Failure>) -> Void
  ) -> AnyCancellable {
    sink(receiveCompletion: receiveCompletion) { _ in }
  }
}
