#if os(Linux)
  import Testing

  @testable import HTTPTransport
  @testable import RESTKit

  @Suite("libcurl's messages for an unprocessed stream")
  struct StreamRefusalTests {
    private func isKnown(_ words: [String]) -> Bool {
      var refusal = StreamRefusal()
      for line in words { refusal.note(line) }
      return refusal.isKnown
    }

    @Test("RT-07: only messages that say so mean an unprocessed stream")
    func words() {
      let mine = "Using Stream ID: 5 (easy handle 0x55d0)"
      #expect(isKnown(["REFUSED_STREAM, retrying a fresh connect"]))
      #expect(isKnown([mine, "recveived GOAWAY, error=0, last_stream=3"]))
      #expect(!isKnown([mine, "recveived GOAWAY, error=0, last_stream=5"]))
      #expect(!isKnown([mine, "recveived GOAWAY, error=0, last_stream=7"]))
      #expect(!isKnown(["recveived GOAWAY, error=0, last_stream=3"]))
      #expect(!isKnown([mine, "recveived GOAWAY, error=0, last_stream="]))
      #expect(!isKnown([mine, "Connection died, retrying a fresh connect (retry count: 1)"]))
      #expect(!isKnown([]))
    }
  }
#endif
