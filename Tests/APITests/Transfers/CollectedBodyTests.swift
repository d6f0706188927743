import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("A transport that takes whole bodies fails like the others")
struct CollectedBodyTests {
  private static let url = "https://api.example.com/v1/a"

  private func upload(
    _ body: RequestBody, to stubs: StubTransport = StubTransport(.post, url)
  ) -> AnyPublisher<UploadEvent, any Error> {
    TestAPI(transport: stubs).upload(endpoint: "a", body: body)
  }

  private func chunks(_ texts: String...) -> some Publisher<Data, any Error> {
    texts.map { Data($0.utf8) }.publisher.setFailureType(to: (any Error).self)
  }

  @Test("A whole body from a missing file is refused before anything is sent")
  func noFile() async throws {
    let stubs = StubTransport()
    let error = try await restError(
      of: upload(.file(URL(fileURLWithPath: "/nowhere/file")), to: stubs))
    #expect(error.kind == .invalidRequest)
    #expect(error.description.contains("the body's file file cannot be read"))
    #expect(stubs.requests.isEmpty)
  }

  @Test("A whole body of another length than announced fails", arguments: [2, 4] as [Int64])
  func wrongLength(length: Int64) async throws {
    let error = try await restError(of: upload(.chunks(chunks("ab", "c"), length: length)))
    #expect(error.kind == .transport(.sendFailed))
  }

  @Test("One-shot chunks are not sent twice")
  func once() async throws {
    let stubs = StubTransport(.post, Self.url)
    let body = RequestBody.chunks(chunks("ab", "c"))
    _ = try await upload(body, to: stubs).allValues
    #expect(stubs.requests.map(\.httpBody) == [Data("abc".utf8)])
    let error = try await restError(of: upload(body, to: stubs))
    #expect(error.kind == .invalidRequest)
    #expect(stubs.requests.count == 1)
  }

  @Test("A publisher's own failure is the call's failure")
  func ownFailure() async throws {
    struct Unplugged: Error {}
    let body = RequestBody.chunks(
      chunks("ab").append(Fail<Data, any Error>(error: Unplugged())))
    await #expect(throws: Unplugged.self) { try await upload(body).allValues }
  }
}
