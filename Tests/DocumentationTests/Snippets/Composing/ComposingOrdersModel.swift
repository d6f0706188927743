import RESTKit
import Streams

extension Composing {
  // snippet: model
  @MainActor
  final class OrdersModel {
    private(set) var orders: [Order] = []
    private(set) var message: String?
    private var loading: AnyCancellable?
    private let shop: ShopAPI

    init(shop: ShopAPI) {
      self.shop = shop
    }

    func load() {
      loading = shop.get(endpoint: "orders").decode(type: [Order].self)
        .sink(
          on: .mainActor,
          receiveCompletion: { [weak self] end in
            if case .failure(let error) = end { self?.message = "\(error)" }
          },
          receiveValue: { [weak self] in self?.orders = $0 })
    }
  }
  // end
}
