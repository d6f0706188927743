import RESTKit
import Streams

// snippet: service
@MainActor
final class OrdersService {
  private let api: OrdersAPI
  private let show: @Sendable (String) -> Void
  private var cancellables = Set<AnyCancellable>()

  init(transport: any Transport = .shared, show: @escaping @Sendable (String) -> Void) {
    let observed = ObservedTransport(transport)
    observed.callEvents.sink { show("call \($0.call): \($0)") }.store(in: &cancellables)
    api = OrdersAPI(
      baseURL: "https://shop.example.com/v1", transport: observed,
      token: CurrentValueSubject("expired"))
    self.show = show
  }

  func load() {
    api.orders()
      .sink(
        receiveCompletion: { [show] in show("orders: \($0)") },
        receiveValue: { [show] in show("orders: \($0.map(\.total))") }
      )
      .store(in: &cancellables)
  }
}
// end
