import Foundation
import RESTKit
import Streams

extension Recipes {
  // snippet: only-503
  static let whenBusy = RetryPolicy(statuses: [503], faults: [])

  func patientOrders() -> AnyPublisher<RESTResponse, any Error> {
    shop.get(endpoint: "orders").retry(Self.whenBusy)
  }
  // end

  // snippet: idempotency
  func keyed(baseURL: String, transport: any Transport) -> ShopAPI {
    ShopAPI(
      baseURL: baseURL, transport: transport,
      retry: RetryPolicy(idempotencyKey: { UUID().uuidString }))
  }
  // end

  // snippet: poll
  nonisolated struct Job: Decodable, Sendable {
    let isDone: Bool
  }

  struct NotDone: Error {}

  func finished(_ job: Int, scheduler: any Scheduler) -> AnyPublisher<Job, any Error> {
    shop.get(endpoint: "jobs/\(job)").decode(type: Job.self)
      .tryMap { job in
        guard job.isDone else { throw NotDone() }
        return job
      }
      .retryOn(
        { $0 is NotDone }, retries: 60,
        chainedPublisher: Just(()).delay(for: .seconds(2), scheduler: scheduler)
      )
      .eraseToAnyPublisher()
  }
  // end

  // snippet: every-minute
  func watch(scheduler: any Scheduler) -> AnyPublisher<[Order], Never> {
    Publishers.Timer(every: .seconds(60), on: scheduler)
      .prepend(.zero)  // at once, and then each minute
      .flatMapFirst { _ in
        shop.get(endpoint: "orders").decode(type: [Order].self).replaceError(with: [])
      }
      .removeDuplicates()
      .eraseToAnyPublisher()
  }
  // end

  // snippet: limit
  func orders(_ ids: [Int]) -> AnyPublisher<[Order], any Error> {
    Publishers.Sequence(ids)
      .flatMap(maxPublishers: .max(4)) { id in
        shop.get(endpoint: "orders/\(id)").decode(type: Order.self)
      }
      .collect()
      .eraseToAnyPublisher()
  }
  // end

  // snippet: rate-limit
  static let searchLimit = RateLimiter(10, per: .seconds(1))

  func search(_ text: String) -> AnyPublisher<RESTResponse, any Error> {
    shop.get(endpoint: "search", query: ["q": text])
      .rateLimited(by: Self.searchLimit)
  }
  // end

  // snippet: mirrors
  func catalog(from mirrors: [ShopAPI]) -> AnyPublisher<RESTResponse, Never> {
    mirrors
      .map { mirror in
        mirror.get(endpoint: "catalog").validateStatus()
          .map(Optional.some).replaceError(with: nil)
      }
      .merged()
      .compactMap { $0 }
      .first()
      .eraseToAnyPublisher()
  }
  // end

  // snippet: etag
  func cached(in cache: HTTPCache) -> AnyPublisher<[Order], any Error> {
    shop.get(endpoint: "orders")
      .cached(in: cache, use: .revalidated)
      .decode(type: [Order].self)
      .eraseToAnyPublisher()
  }
  // end
}
