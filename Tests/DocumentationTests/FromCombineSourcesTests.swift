import Foundation
import RESTKit
import RESTKitTesting
import RESTKitTestingTraits
import Streams
import StreamsTesting
import Synchronization
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The sources and models of Docs/FromCombine.md run", .stubs, .leakFree)
struct FromCombineSourcesTests {
  /// A sensor that sends a value before `start` returns.
  private final class EagerSensor: FromCombine.Sensor {
    private struct OneJob: FromCombine.Job {
      let sensor: EagerSensor

      func stop() { sensor.stops.withLock { $0 += 1 } }
    }

    let starts = Lock(0)
    let stops = Lock(0)
    private let receiver = CurrentValueSubject<(@Sendable (Double) -> Void)?, Never>(nil)

    func start(_ receive: @escaping @Sendable (Double) -> Void) -> any FromCombine.Job {
      starts.withLock { $0 += 1 }
      receive(0)
      receiver.value = receive
      return OneJob(sensor: self)
    }

    func send(_ value: Double) { receiver.value?(value) }
  }

  @Test("A callback's values wait for demand, also the first, and a cancel stops the callback")
  func callbacks() {
    let sensor = EagerSensor()
    let seen = TestSubscriber<Double, Never>(demand: .none)
    FromCombine.readings(of: sensor).subscribe(seen)
    sensor.send(1)
    #expect(seen.values == [])
    seen.request(.max(2))
    #expect(seen.values == [0, 1])
    for value in 1...65 { sensor.send(Double(value)) }
    seen.request(.unlimited)
    #expect(seen.values == [0, 1] + (2...65).map(Double.init))
    seen.cancel()
    #expect(sensor.stops.withLock { $0 } == 1)

    let two = TestSubscriber<Double, Never>()
    FromCombine.readings(of: sensor).prefix(1).subscribe(two)
    #expect(two.isFinished)
    #expect(sensor.starts.withLock { $0 } == 2)
    #expect(sensor.stops.withLock { $0 } == 2)
  }

  @Test("A refresh that runs is shared, and a token that is valid is not refreshed")
  func kept() {
    let refreshes = Lock(0)
    let answer = PassthroughSubject<FromCombine.AccessToken, FromCombine.APIError>()
    let tokens = FromCombine.Tokens(
      FromCombine.AccessToken(text: "old", isExpired: true),
      refresh: Deferred {
        refreshes.withLock { $0 += 1 }
        return answer
      }
      .eraseToAnyPublisher())
    let seen = (0..<3).map { _ in TestSubscriber<String, FromCombine.APIError>() }
    let texts = tokens.token().map(\.text)
    texts.subscribe(seen[0])
    texts.subscribe(seen[1])
    answer.send(FromCombine.AccessToken(text: "new", isExpired: false))
    answer.send(completion: .finished)
    texts.subscribe(seen[2])
    #expect(seen.map(\.values) == [["new"], ["new"], ["new"]])
    #expect(refreshes.withLock { $0 } == 1)
  }

  @MainActor @Test("A pipeline sees a screen's property after each change")
  func property() async {
    let added = PassthroughSubject<String, Never>()
    let cart = FromCombine.Cart(added: added)
    let seen = TestSubscriber<[String], Never>()
    cart.changes.subscribe(seen)
    added.send("tea")
    added.send("salt")
    // The model's deliveries were queued on the main actor before these tasks.
    await Task { @MainActor in }.value
    await Task { @MainActor in }.value
    #expect(cart.items == ["tea", "salt"])
    #expect(cart.count == 2)
    #expect(seen.values == [[], ["tea"], ["tea", "salt"]])
    seen.cancel()
  }

  @Test("A service that was a subclass sends through the one that was its base")
  func classes() async throws {
    let url = try #require(URL(string: "https://other.example.com/orders?of=%2F"))
    let stubs = StubTransport(
      StubAPIResponse(
        request: StubRequest(.post, urlString: url.absoluteString)
          .header("Authorization", "Bearer token-1").header("X-App", "1").body(Data("tea".utf8)),
        statusCode: 201))
    let service = FromCombine.WebService(
      api: FromCombine.ShopAPI(baseURL: "https://shop.example.com", transport: stubs))
    service.set("X-App", to: "1")
    let signed = FromCombine.SignedWebService(service) { "token-1" }
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.httpBody = Data("tea".utf8)
    #expect(try await signed.send(request).value.statusCode == 201)
    request.url = nil
    let refused = request
    await #expect(throws: URLError.self) { try await service.send(refused).value }
  }

  @Test("A wait that is given as a point in time is too long")
  func pointInTime() {
    let time = TestScheduler()
    time.advance(by: .seconds(10))
    let fired = Lock<[Duration]>([])
    time.schedule(after: .seconds(1)) { fired.withLock { $0.append(time.now) } }
    time.schedule(after: time.now + .seconds(1)) { fired.withLock { $0.append(time.now) } }
    time.advance(by: .seconds(60))
    #expect(fired.withLock { $0 } == [.seconds(11), .seconds(21)])
  }

  @Test("The failures of a verb and of its decode are no URLError and no DecodingError")
  func failures() async throws {
    let url = try #require(URL(string: "https://shop.example.com/orders"))
    let stubs = StubTransport(
      StubAPIResponse(request: StubRequest(.get), result: .fault(.connectionRefused))
        .thenRespondWith(request: StubRequest(.get), result: .json("{}")))
    let api = FromCombine.ShopAPI(baseURL: "https://shop.example.com", transport: stubs)
    for _ in 0..<2 {
      let products = api.get(url: url).decode(type: [FromCombine.Product].self)
      let error = await #expect(throws: RESTError.self) { try await products.value }
      let any = error as (any Error)?
      #expect(any as? URLError == nil && any as? DecodingError == nil)
    }
  }

  @MainActor @Test("Work of the main actor begins with a subscription and ends with a cancel")
  func mainActor() async {
    let image = StreamFragments.RemoteImage()
    let seen = TestSubscriber<Int, Never>()
    StreamFragments.loaded(image).subscribe(seen)
    while seen.values.isEmpty { await Task { @MainActor in }.value }
    #expect(image.calls == ["load"])
    seen.cancel()
    while image.calls.count < 2 { await Task { @MainActor in }.value }
    #expect(image.calls == ["load", "cancel"])
  }
}
