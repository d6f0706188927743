import RESTKit
import Streams

extension Recipes {
  // snippet: screen
  @MainActor
  final class OrdersScreen {
    private(set) var text = "…"
    private var loading: AnyCancellable?
    private let shop: ShopAPI

    init(shop: ShopAPI) {
      self.shop = shop
    }

    func appear() {
      loading = shop.get(endpoint: "orders").decode(type: [Order].self)
        .map { "\($0.count) orders" }
        .catch { Just("\($0)") }
        .sink(on: .mainActor) { [weak self] in self?.text = $0 }
    }

    func disappear() {
      loading = nil
    }
  }
  // end

  // snippet: task
  func load(in task: inout Task<[Order], any Error>?) {
    task?.cancel()  // ends the call before, and closes its connection
    task = Task { try await shop.get(endpoint: "orders").decode(type: [Order].self).value }
  }
  // end
}
