// Names that Combine adds to other types, and those of SwiftUI: the fourth table of Docs/FromCombine.md, "The compiler says".
import Foundation
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

func sources(_ url: URL, name: Notification.Name) {
  // expected-error @+1 {{value of type 'URLSession' has no member 'dataTaskPublisher'}}
  _ = URLSession.shared.dataTaskPublisher(for: url).map(\.data)
  // expected-error @-1 {{cannot infer key path type from context; consider explicitly specifying a root type}}
  // expected-error @+1 {{type 'Timer' has no member 'publish'}}
  _ = Timer.publish(every: 1, on: .main, in: .common).autoconnect()
  // expected-error @-1 {{cannot infer contextual base in reference to member 'main'}}
  // expected-error @-2 {{cannot infer contextual base in reference to member 'common'}}
  // expected-error @+1 {{value of type 'NotificationCenter' has no member 'publisher'}}
  _ = NotificationCenter.default.publisher(for: name)
}

func fraction(of progress: Progress) {
  // expected-error @+1 {{value of type 'Progress' has no member 'publisher'}}
  _ = progress.publisher(for: \.fractionCompleted)
  // expected-error @-1 {{cannot infer key path type from context; consider explicitly specifying a root type}}
}

struct ShopAPI: RESTAPI {
  let baseURL = "https://shop.example.com"
}

func body(of api: ShopAPI, at url: URL) {
  // expected-error @+1 {{contextual closure type '@Sendable (RESTResponse) throws -> RESTResponse' expects 1 argument, but 2 were used in closure body}}
  _ = api.get(url: url).tryMap { data, response in
    guard let http = response as? HTTPURLResponse, http.statusCode == 200 else {
      throw URLError(.badServerResponse)
    }
    return data
  }
  _ = api.get(url: url).tryMap { answer -> Data in
    // expected-warning @+1 {{conditional cast from 'HTTPURLResponse' to 'HTTPURLResponse' always succeeds}}
    guard let http = answer.response as? HTTPURLResponse, http.statusCode == 200 else {
      throw URLError(.badServerResponse)
    }
    return answer.data
  }
}

// expected-error @+1 {{'DataTaskPublisher' is not a member type of class 'FoundationNetworking.URLSession'}}
func publisher(of session: URLSession) -> URLSession.DataTaskPublisher? { nil }

// expected-error @+1 {{cannot find type 'ObservableObject' in scope}}
final class ProductList: ObservableObject {
  // expected-error @+1 {{unknown attribute 'Published'}}
  @Published var items: [Int] = []

  init(_ loaded: PassthroughSubject<[Int], Never>) {
    // expected-error @+1 {{missing argument for parameter 'on' in call}}
    loaded.assign(to: &$items)
    // expected-error @-1 {{cannot find '$items' in scope}}
    // expected-error @-2 {{cannot convert value of type '_' to expected argument type 'ReferenceWritableKeyPath<Root, [Int]>'}}
  }
}

func follow(_ list: ProductList) -> AnyCancellable {
  // expected-error @+1 {{value of type 'ProductList' has no member '$items'}}
  list.$items.sink { print($0) }
}

struct Job {
  // expected-error @+1 {{cannot find 'CombineIdentifier' in scope}}
  let id = CombineIdentifier()
}

final class DownloadSubscription<S: Subscriber<Data, any Error>>: Subscription {
  // expected-error @+1 {{stored property 'subscriber' of 'Sendable'-conforming generic class 'DownloadSubscription' is mutable}}
  private var subscriber: S?

  init(_ subscriber: S) { self.subscriber = subscriber }

  func request(_ demand: Subscribers.Demand) {}
  func cancel() { subscriber = nil }
}

final class Printer: Subscriber {
  // expected-error @+1 {{stored property 'subscription' of 'Sendable'-conforming class 'Printer' is mutable}}
  private var subscription: (any Subscription)?

  func receive(subscription: any Subscription) { self.subscription = subscription }
  func receive(_ input: Int) -> Subscribers.Demand { .none }
  func receive(completion: Subscribers.Completion<Never>) {}
}
