#if os(Linux)
  import CCurl
  import Synchronization
  import Testing

  @testable import HTTPTransport

  // libcurl's functions can capture nothing.
  private let made = Atomic(0)
  private let cleanedUp = Atomic(0)
  /// The clean-ups that failed: libcurl frees nothing that a handle still uses.
  private let failures = Atomic(0)

  @Suite("The TLS sessions of an engine")
  struct CurlTLSSessionsTests {
    @Test("All handles of an engine share one store, which is released behind the last of them")
    func shared() throws {
      let library = try CurlLibrary.posing()
      let api = UnsafeMutablePointer(mutating: library.api)
      api.pointee.share_init = {
        made.add(1, ordering: .relaxed)
        return (try? CurlLibrary.load())?.api.pointee.share_init()
      }
      api.pointee.share_cleanup = { share in
        let code = (try? CurlLibrary.load())?.api.pointee.share_cleanup(share) ?? -1
        cleanedUp.add(1, ordering: .relaxed)
        if code != 0 { failures.add(1, ordering: .relaxed) }
        return code
      }
      var connections: CurlConnections? = CurlConnections()
      var transfers = try (0..<3).map { _ in
        try CurlTransfer(library, CurlConfiguration(), try #require(connections))
      }
      #expect(made.load(ordering: .relaxed) == 1)
      #expect(Set(transfers.map { $0.sessions?.handle }).count == 1)
      connections = nil
      #expect(cleanedUp.load(ordering: .relaxed) == 0)
      transfers.removeAll()
      #expect(cleanedUp.load(ordering: .relaxed) == 1)
      #expect(failures.load(ordering: .relaxed) == 0)
    }

    @Test("Without memory for the store each handle keeps its own sessions")
    func none() throws {
      let library = try CurlLibrary.posing()
      UnsafeMutablePointer(mutating: library.api).pointee.share_init = { nil }
      let transfer = try CurlTransfer(library, CurlConfiguration(), CurlConnections())
      #expect(transfer.sessions == nil)
    }
  }
#endif
