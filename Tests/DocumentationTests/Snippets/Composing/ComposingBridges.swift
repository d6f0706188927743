import Dispatch
import Foundation
import RESTKit
import Streams

extension Composing {
  func awaited() async throws -> [Order] {
    // snippet: await
    let orders = try await shop.get(endpoint: "orders").decode(type: [Order].self).value
    // end
    return orders
  }

  func textOfOrders() async -> String? {
    // snippet: result
    switch await shop.get(endpoint: "orders").decode(type: [Order].self).result {
    case .success(let orders): return "\(orders.count) orders"
    case .failure(.failure(let error)): return "\(error)"
    case .failure(.cancelled): return nil
    case .failure(.noValue), .failure(.moreThanOneValue): return "no list of orders"
    }
    // end
  }

  func looped() async throws -> [Int] {
    var seen: [Int] = []
    // snippet: loop
    for try await page in pages().values(buffering: .prefetch(1)) {
      seen += page.orders.map(\.id)
      if seen.count >= 100 { break }  // leaving the loop cancels
    }
    // end
    return seen
  }

  func bridged(
    _ load: @escaping @Sendable () async throws -> Customer
  ) -> Single<Customer, any Error> {
    // snippet: async-closure
    let customer = Single { try await load() }  // a task for each subscription
    // end
    return customer
  }

  // snippet: callback
  struct OrderByID: Endpoint {
    typealias Response = Order
    let id: Int
    var path: ResourcePath { "orders/\(id)" }
  }

  func order(
    _ id: Int, on queue: DispatchQueue,
    completion: @escaping @Sendable (Result<Order, any Error>) -> Void
  ) -> AnyCancellable {
    shop.send(OrderByID(id: id), on: queue, completion: completion)
  }
  // end

  // snippet: outcome
  func outcome(of id: Int) -> AnyPublisher<Result<Order, any Error>, Never> {
    shop.publisher(for: OrderByID(id: id))
      .map(Result.success)
      .catch { Just(.failure($0)) }
      .eraseToAnyPublisher()
  }
  // end

  // snippet: errors
  enum Advice {
    case tryLater, signIn, correct(String?), reportBug
  }

  func advice(about error: any Error) -> Advice {
    switch error {
    case let error as RESTError:
      switch error.kind {
      case .transport, .status(500...599), .status(429): .tryLater
      case .status(401): .signIn
      case .status: .correct(error.problem?.detail)
      default: .reportBug
      }
    case TokenSessionError.signedOut, TokenSessionError.refreshRefused: .signIn
    default: .tryLater
    }
  }
  // end
}
