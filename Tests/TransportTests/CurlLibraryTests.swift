#if os(Linux)
  import CCurl
  import Testing

  @testable import HTTPTransport
  @testable import RESTKit

  @Suite("The features of a libcurl release")
  struct CurlLibraryTests {
    /// Looks at a libcurl that says this of itself.
    private func look<ServerResponse>(
      version: UInt32 = 0x07_5801, features: Int32 = 0, _ question: (CurlLibrary) -> ServerResponse
    ) throws -> ServerResponse {
      var table = try CurlLibrary.load().api.pointee
      table.version_number = version
      table.features = features
      return withUnsafePointer(to: table) { question(CurlLibrary(api: $0)) }
    }

    @Test("A feature is known by its version: the last one without, the first one with")
    func versions() throws {
      let questions: [(since: UInt32, KeyPath<CurlLibrary, Bool> & Sendable)] = [
        (0x07_5000, \.asksBeforeRequests), (0x07_5500, \.namesProtocols),
        (0x07_5300, \.keepsFreedHeaders), (0x07_5800, \.isSilentOfRefusedStreams),
        (0x07_5800, \.keepsResets),
      ]
      for (since, question) in questions {
        #expect(try !look(version: since - 1) { $0[keyPath: question] }, "\(question)")
        #expect(try look(version: since) { $0[keyPath: question] }, "\(question)")
      }
      let gone: [(since: UInt32, KeyPath<CurlLibrary, Bool> & Sendable)] = [
        (0x08_0100, \.keepsFreedHeaders), (0x08_0400, \.showsChunks),
        (0x07_5900, \.isSilentOfRefusedStreams), (0x08_0F00, \.keepsResets),
      ]
      for (since, question) in gone {
        #expect(try look(version: since - 1) { $0[keyPath: question] }, "\(question)")
        #expect(try !look(version: since) { $0[keyPath: question] }, "\(question)")
      }
      let isTold = try look(version: 0x07_FFFF) { $0.authorityFile != nil }
      #expect(try look(version: 0x07_5400) { $0.authorityFile != nil } == isTold)
      #expect(try look(version: 0x07_53FF) { $0.authorityFile } == nil)
    }

    @Test("A feature is known by its bit alone")
    func features() throws {
      let questions: [(bit: Int32, KeyPath<CurlLibrary, Bool> & Sendable)] = [
        (1 << 2, \.speaksTLS), (1 << 16, \.speaksHTTP2), (1 << 21, \.speaksTLSToProxies),
      ]
      for (bit, question) in questions {
        #expect(try look(features: bit) { $0[keyPath: question] }, "\(question)")
        #expect(try !look(features: ~bit) { $0[keyPath: question] }, "\(question)")
      }
    }
  }
#endif
