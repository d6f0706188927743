import Observation
import RESTKit
import Streams

extension InAnAppOfToday {
  // snippet: model
  @MainActor @Observable
  final class OrdersModel {
    enum Phase: Equatable {
      case idle
      case loading
      case shown([Order])
      case failed(String)
    }

    private(set) var phase = Phase.idle
    @ObservationIgnored private var loading: AnyCancellable?
    private let shop: ShopAPI

    init(shop: ShopAPI) {
      self.shop = shop
    }

    func load() {
      phase = .loading
      loading = shop.get(endpoint: "orders").decode(type: [Order].self)
        .sink(on: .mainActor) { [weak self] result in
          switch result {
          case .success(let orders): self?.phase = .shown(orders)
          case .failure(let error): self?.phase = .failed("\(error)")
          }
        }
    }

    func cancel() {
      loading = nil
      phase = .idle
    }
  }
  // end
}
