import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

@Suite("The failure that an API names once", .leakFree)
struct TypedFailureAPITests {
  private enum ShopFailure: APIFailure, Equatable {
    case refused(code: String)
    case cancelled
    case other(String)
    case own

    init(_ error: any Error) {
      if error is CancellationError {
        self = .cancelled
      } else if let body = (error as? RESTError)?.body,
        let words = try? JSONDecoder().decode([String: String].self, from: body),
        let code = words["code"]
      {
        self = .refused(code: code)
      } else {
        self = .other("\(type(of: error))")
      }
    }
  }

  private struct ShopAPI: TypedFailureAPI {
    typealias Failure = ShopFailure
    let baseURL = "https://api.example.com/v1"
    let transport: any Transport
    var session: TokenSession?
  }

  private struct Order: Endpoint {
    typealias Response = [String: Int]
    var path: ResourcePath = "order"
  }

  private struct Picky: Endpoint {
    enum Response { case none }
    let path: ResourcePath = "order"

    func answer(_ response: RESTResponse) throws -> Response { throw ShopFailure.own }
  }

  private struct Lines: Endpoint {
    typealias Response = JSONLines<[String: Int]>
    let path: ResourcePath = "lines"
  }

  private let scheduler = TestScheduler()

  private func api(_ status: Int = 404, _ body: String = #"{"code": "gone"}"#) -> ShopAPI {
    ShopAPI(
      transport: ScriptedTransport(.status(status, body: Data(body.utf8)), on: scheduler))
  }

  @Test("Each call of an endpoint fails with the API's failure, with its type")
  func all() async throws {
    let api = api()
    let gone = ShopFailure.refused(code: "gone")
    let order: AnyPublisher<[String: Int], ShopFailure> = api.publisher(for: Order())
    let subscriber = TestSubscriber<[String: Int], ShopFailure>()
    order.subscribe(subscriber)
    #expect(subscriber.failure == gone)
    do {
      _ = try await api.send(Order())
    } catch {
      let typed: ShopFailure = error
      #expect(typed == gone)
    }
    let pages = TestSubscriber<[String: Int], ShopFailure>()
    api.pages(from: Order()) { _, _ in nil }.subscribe(pages)
    #expect(pages.failure == gone)
    let polls = TestSubscriber<(request: Order, response: [String: Int]), ShopFailure>()
    api.longPollExchanges(from: Order()) { order, _ in order }.subscribe(polls)
    #expect(polls.failure == gone)
    let links = TestSubscriber<[String: Int], ShopFailure>()
    api.pages(from: Order()).subscribe(links)
    #expect(links.failure == gone)
    let lines = TestSubscriber<[String: Int], ShopFailure>()
    api.publisher(for: Lines()).subscribe(lines)
    #expect(lines.failure == gone)
    do {
      for try await _ in api.values(for: Lines()) {}
      Issue.record("the loop did not fail")
    } catch {
      #expect(error == gone)
    }
  }

  @Test("A closure of send gets the API's failure")
  @MainActor func closures() async throws {
    let api = api()
    let error: ShopFailure? = await withCheckedContinuation { continuation in
      let call = Lock<AnyCancellable?>(nil)
      let sent = api.send(Order()) { result in
        if case .failure(let error) = result { continuation.resume(returning: error) }
        call.withLock { $0 = nil }
      }
      call.withLock { $0 = sent }
    }
    #expect(error == .refused(code: "gone"))
    let results = Lock<[Result<[String: Int], ShopFailure>]>([])
    let call = api.send(Order(), on: .immediate) { result in
      results.withLock { $0.append(result) }
    }
    #expect(results.withLock { $0 } == [.failure(.refused(code: "gone"))])
    call.cancel()
  }

  @Test("A download of an endpoint fails with the API's failure")
  func download() throws {
    let folder = try TemporaryFolder()
    let subscriber = TestSubscriber<DownloadEvent, ShopFailure>()
    api().download(Order(), to: folder.url.appendingPathComponent("a")).subscribe(subscriber)
    #expect(subscriber.failure == .refused(code: "gone"))
  }

  private struct PutPhoto: Endpoint {
    typealias Response = RESTResponse
    let method = HTTPMethod.put
    let path: ResourcePath = "photo"
    let body = RequestBody.data(Data("bytes".utf8), contentType: nil)
  }

  @Test("An upload fails with the API's failure, also if its response is decoded")
  func upload() {
    let gone = ShopFailure.refused(code: "gone")
    let seen = Lock<[Int64]>([])
    let api = api()
    let photo: AnyPublisher<[String: Int], ShopFailure> = api.upload(PutPhoto())
      .handleProgress { progress in seen.withLock { $0.append(progress.completedBytes) } }
      .decode(type: [String: Int].self)
    let decoded = TestSubscriber<[String: Int], ShopFailure>()
    photo.subscribe(decoded)
    #expect(decoded.failure == gone)
    #expect(seen.withLock { $0 } == [5])
    let fine = TestSubscriber<[String: Int], ShopFailure>()
    self.api(200, #"{"id": 7}"#).upload(PutPhoto()).decode(type: [String: Int].self)
      .subscribe(fine)
    #expect(fine.values == [["id": 7]])
    let (refused, accepted) = (
      TestSubscriber<UploadEvent, ShopFailure>(), TestSubscriber<UploadEvent, ShopFailure>()
    )
    api.upload(PutPhoto()).validateStatus().subscribe(refused)
    self.api(200, "{}").upload(PutPhoto()).validateStatus().subscribe(accepted)
    #expect(refused.failure == gone)
    #expect(accepted.values.last?.response?.statusCode == 200)
    let broken = TestSubscriber<UploadEvent, ShopFailure>()
    Self.refusing.upload(PutPhoto()).subscribe(broken)
    #expect(broken.failure == .other("RESTError"))
  }

  /// An API whose base URL cannot be used.
  private static var refusing: RefusingAPI { RefusingAPI() }

  private struct RefusingAPI: TypedFailureAPI {
    typealias Failure = ShopFailure
    let baseURL = "nonsense"
  }

  @Test("The events of an endpoint fail with the API's failure")
  func events() {
    let whole = TestSubscriber<TransferEvent, ShopFailure>()
    api().events(Order()).subscribe(whole)
    #expect(whole.values.count == 2 && whole.isFinished)
    let broken = TestSubscriber<TransferEvent, ShopFailure>()
    Self.refusing.events(Order()).subscribe(broken)
    #expect(broken.failure == .other("RESTError"))
    let lines = TestSubscriber<String, any Error>()
    api(200, "one\ntwo").events(Order()).lines().subscribe(lines)
    #expect(lines.values == ["one", "two"])
  }

  @Test("An error that is the failure already is not converted")
  func own() async throws {
    await #expect(throws: ShopFailure.own) { try await api(200).send(Picky()) }
  }

  @Test("A value that fits no path, and a cancelled task, are failures of that type, too")
  func others() async throws {
    let api = api(200, "{}")
    await #expect(throws: ShopFailure.other("RESTError")) {
      try await api.send(Order(path: "order/\("")"))
    }
    let task = Task { () async -> ShopFailure? in
      withUnsafeCurrentTask { $0?.cancel() }
      do throws(ShopFailure) {
        _ = try await api.send(Order())
        return nil
      } catch {
        return error
      }
    }
    #expect(await task.value == .cancelled)
  }

  @Test("Where any error is asked for, the calls are those of every API")
  func untyped() async throws {
    let api = api()
    let order: AnyPublisher<[String: Int], any Error> = api.publisher(for: Order())
    let subscriber = TestSubscriber<[String: Int], any Error>()
    order.subscribe(subscriber)
    #expect((subscriber.failure as? RESTError)?.kind == .status(404))
    let decoded = TestSubscriber<[String: Int], any Error>()
    api.get(endpoint: "order").retry(RetryPolicy(scheduler: scheduler))
      .decode(type: [String: Int].self).subscribe(decoded)
    #expect((decoded.failure as? RESTError)?.kind == .status(404))
  }
}
