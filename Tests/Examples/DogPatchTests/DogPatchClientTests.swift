import DogPatch
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("DogPatchClient fetches the dogs and reports errors")
struct DogPatchClientTests {
  private static let url = "https://example.com/api/v1/dogs"
  private let queue = TestScheduler()

  /// Asks once, and lets the response queue run.
  private func answers(
    of response: StubAPIResponse
  ) throws -> (beforeQueue: Int, after: [Result<[Dog], any Error>], request: URLRequest?) {
    let transport = StubTransport(response)
    let client = DogPatchClient(
      baseURL: "https://example.com/api/v1/", transport: transport, responseQueue: queue)
    let answers = Lock<[Result<[Dog], any Error>]>([])
    let call = client.getDogs { answer in answers.withLock { $0.append(answer) } }
    let before = answers.withLock { $0.count }
    queue.run()
    withExtendedLifetime(call) {}
    return (before, answers.withLock { $0 }, transport.requests.first)
  }

  private func response(
    status: Int = 200, _ result: Result<Data, any Error>
  ) -> StubAPIResponse {
    StubAPIResponse(
      request: .init(.get, urlString: Self.url), statusCode: status, result: result)
  }

  private static let dog = """
    {"id": "7", "sellerID": "Ada", "about": "barks", "birthday": "2019-04-01T00:00:00Z",
     "breed": "beagle", "breederRating": 4.5, "cost": 99.95, "created": "2020-05-01T12:00:00Z",
     "imageURL": "https://example.com/7.png", "name": "Rex"}
    """

  @Test("The client requests the right URL and calls back only on the response queue")
  func valid() throws {
    let (before, after, request) = try answers(of: response(.json("[\(Self.dog)]")))
    #expect(request?.url?.absoluteString == Self.url)
    #expect(request?.httpMethod ?? "GET" == "GET")
    #expect(before == 0)
    let dogs = try #require(after.first).get()
    #expect(after.count == 1)
    #expect(dogs.map(\.name) == ["Rex"])
    #expect(dogs.first?.cost == Decimal(string: "99.95"))
    #expect(dogs.first?.created == Date(timeIntervalSince1970: 1_588_334_400))
  }

  @Test("Status 500 is an error, on the response queue")
  func status() throws {
    let (before, after, _) = try answers(of: response(status: 500, .json("[]")))
    #expect(before == 0 && after.count == 1)
    let error = #expect(throws: RESTError.self) { try #require(after.first).get() }
    #expect(error?.kind == .status(500))
  }

  @Test("A transport's error arrives unchanged, on the response queue")
  func transport() throws {
    struct Offline: Error {}
    let (before, after, _) = try answers(of: response(.failure(Offline())))
    #expect(before == 0 && after.count == 1)
    #expect(throws: Offline.self) { try #require(after.first).get() }
  }

  @Test("A missing value is an error that names it, on the response queue")
  func missing() throws {
    let broken = Self.dog.replacing(#""name""#, with: #""nickname""#)
    let (before, after, _) = try answers(of: response(.json("[\(broken)]")))
    #expect(before == 0 && after.count == 1)
    let error = #expect(throws: RESTError.self) { try #require(after.first).get() }
    #expect(error?.kind == .decoding)
    #expect(error?.description.contains(#""[0].name" is missing"#) == true)
  }

  @Test(
    "A success with an empty body or one that is not JSON is an error", arguments: ["", "<html>"])
  func noDogs(body: String) throws {
    let (before, after, _) = try answers(of: response(.success(Data(body.utf8))))
    #expect(before == 0 && after.count == 1)
    let error = #expect(throws: RESTError.self) { try #require(after.first).get() }
    #expect(error?.kind == .malformedResponse)
  }

  @Test("A cancelled call does not call back")
  func cancelled() {
    let client = DogPatchClient(
      baseURL: "https://example.com/api/v1",
      transport: StubTransport(response(.json("[]"))), responseQueue: queue)
    let answers = Lock(0)
    client.getDogs { _ in answers.withLock { $0 += 1 } }.cancel()
    queue.run()
    #expect(answers.withLock { $0 } == 0)
  }

  /// Asks a server once, and waits for the callback on a queue of the system's.
  private func answer(of server: MockServer) async throws -> [Dog] {
    let client = DogPatchClient(
      baseURL: server.baseURL, responseQueue: DispatchQueue(label: "dogs"))
    let call = Lock<AnyCancellable?>(nil)
    return try await withCheckedThrowingContinuation { continuation in
      let running = client.getDogs { continuation.resume(with: $0) }
      call.withLock { $0 = running }
    }
  }

  @Test("The client works over a socket, on a system queue")
  func socket() async throws {
    let server = try MockServer { _ in .json("[\(Self.dog)]") }
    defer { server.stop() }
    #expect(try await answer(of: server).map(\.id) == ["7"])
    #expect(server.requests.map(\.path) == ["/dogs"])
  }

  @Test("Over a socket, a status and a broken connection are errors, too")
  func socketFailures() async throws {
    let failing = try MockServer { _ in .json("[]", status: 500) }
    defer { failing.stop() }
    let status = await #expect(throws: RESTError.self) { try await answer(of: failing) }
    #expect(status?.kind == .status(500))

    let breaking = try MockServer { _ in .json("[]", delivery: .cut(afterBytes: 1)) }
    defer { breaking.stop() }
    let fault = await #expect(throws: RESTError.self) { try await answer(of: breaking) }
    #expect(fault?.kind == .transport(.bodyCut))
  }
}
