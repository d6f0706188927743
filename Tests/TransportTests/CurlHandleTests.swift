#if os(Linux)
  import CCurl
  import Fixtures
  import Foundation
  import RESTKitTesting
  import Streams
  import StreamsTesting
  import Synchronization
  import Testing

  @testable import HTTPTransport
  @testable import RESTKit

  private let made = Atomic<Int>(0)
  private let cleanedUp = Atomic<Int>(0)

  @Suite("The kept handles of a libcurl engine", .timeLimit(.minutes(10)))
  struct CurlHandleTests {
    /// A loop whose libcurl counts handles.
    private final class Loop: Sendable {
      let commandQueue: CurlCommandQueue

      init(connections: Int) throws {
        let table = UnsafeMutablePointer(mutating: try CurlLibrary.load().api)
        let counting = UnsafeMutableRawPointer.allocate(
          byteCount: MemoryLayout.size(ofValue: table.pointee),
          alignment: MemoryLayout.alignment(ofValue: table.pointee)
        ).bindMemory(to: type(of: table.pointee), capacity: 1)
        counting.initialize(to: table.pointee)
        counting.pointee.easy_init = {
          made.add(1, ordering: .relaxed)
          return (try? CurlLibrary.load())?.api.pointee.easy_init()
        }
        counting.pointee.easy_cleanup = { easy in
          cleanedUp.add(1, ordering: .relaxed)
          (try? CurlLibrary.load())?.api.pointee.easy_cleanup(easy)
        }
        // Never freed, as the one that it copies.
        commandQueue = try CurlCommandQueue.make(CurlLibrary(api: UnsafePointer(counting)))
        var configuration = CurlConfiguration()
        configuration.maxConnectionsPerHost = connections
        configuration.security.proxy = .none
        Thread.detachNewThread { [commandQueue, configuration] in
          CurlLoop(commandQueue: commandQueue, configuration: configuration).run()
        }
      }

      func start(_ url: String, completion: @escaping @Sendable () -> Void) throws {
        let call = EngineCall(completion: { _ in completion() }) { _ in }
        commandQueue.post(
          .start(
            try CurlJob(EngineRequest(url: url), call, begin: .now, library: commandQueue.library)))
      }

      func response(_ url: String) async throws {
        await withCheckedContinuation { continuation in
          do {
            try start(url) { continuation.resume() }
          } catch {
            Issue.record(error)
            continuation.resume()
          }
        }
      }

      func stop() async {
        await withCheckedContinuation { continuation in commandQueue.close { continuation.resume() }
        }
      }
    }

    @Test("64 handles are kept for the next calls, the others are freed, and all at the end")
    func kept() async throws {
      let gate = MockGate()
      let server = try MockServer { .text($0.path, gate: $0.path == "/held" ? gate : nil) }
      defer { server.stop() }
      let loop = try Loop(connections: 70)
      await withCheckedContinuation { continuation in
        let left = Atomic<Int>(70)
        for _ in 0..<70 {
          do {
            try loop.start(server.baseURL + "/held") {
              if left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
                continuation.resume()
              }
            }
          } catch {
            Issue.record(error)
          }
        }
        Task {
          _ = try? await server.received(70)
          gate.open()
        }
      }
      // The thread has released the last call's handle after it finished another call.
      try await loop.response(server.baseURL)
      #expect(made.load(ordering: .relaxed) == 70)
      #expect(cleanedUp.load(ordering: .relaxed) == 6)
      await loop.stop()
      #expect(cleanedUp.load(ordering: .relaxed) == 70)
    }

    @Test("A kept handle holds nothing of its last call, not even the publisher of its body")
    func publisher() async throws {
      let gate = MockGate()
      let server = try MockServer { .text($0.path, gate: $0.path == "/held" ? gate : nil) }
      defer { server.stop() }
      let engine = try EngineKind.curl.make()
      // A handle of its own, so that the upload's is not used again.
      async let other = engine.response(EngineRequest(url: server.baseURL + "/held"))
      _ = try await server.received(1)
      weak var held: Counter?
      weak var heldListener: Counter?
      do {
        let counter = Counter()
        held = counter
        var request = EngineRequest(url: server.baseURL, method: "PUT")
        request.upload = .chunks(
          Just(Data("a".utf8)).setFailureType(to: (any Error).self)
            .handleEvents(receiveCancel: { counter.add() }))
        let listener = Counter()
        heldListener = listener
        request.onEvent = { _ in
          listener.add()
          return .more
        }
        _ = try await engine.response(request)
      }
      gate.open()
      // By then the leader has left the upload.
      _ = try await other
      #expect(held == nil)
      #expect(heldListener == nil)
    }
  }
#endif
