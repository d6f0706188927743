#if os(Linux)
  import Fixtures
  import Foundation
  import RESTKitTesting
  import Testing

  @testable import HTTPTransport
  @testable import RESTKit

  @Suite("The sockets of an engine", .timeLimit(.minutes(10)))
  struct CurlSocketTests {
    @Test("A child process does not inherit connections")
    func inheritance() async throws {
      let server = try MockServer { _ in .text("ok") }
      defer { server.stop() }
      let engine = try CurlEngine()
      _ = try await engine.response(EngineRequest(url: server.baseURL))
      let port = try #require(URL(string: server.baseURL)?.port)
      let sockets = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        .compactMap { Int32($0) }.filter { Self.peerPort(of: $0) == port }
      #expect(!sockets.isEmpty)
      for socket in sockets { #expect(fcntl(socket, F_GETFD) & FD_CLOEXEC != 0) }
      await engine.stop()
    }

    private static func peerPort(of socket: Int32) -> Int? {
      var address = sockaddr_in()
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let code = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          getpeername(socket, $0, &length)
        }
      }
      guard code == 0, address.sin_family == sa_family_t(AF_INET) else { return nil }
      return Int(UInt16(bigEndian: address.sin_port))
    }
  }
#endif
