import Fixtures
import Foundation
import Testing

@testable import HTTPTransport
@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

#if os(Linux)
  @Suite("The meaning of libcurl's codes")
  struct CurlFaultTests {
    private func fault(
      _ code: Int32, _ text: String = "words", errno: Int32 = 0, refusedRepeat: Bool = false
    ) -> TransportError {
      CurlFault(
        code: code, text: text, systemError: errno, refusedRepeat: refusedRepeat,
        mayHaveBeenProcessed: true
      ).fault
    }

    @Test(
      "Each code has its kind; without a connection nothing was sent",
      arguments: [
        (1, .malformedResponse, true), (3, .unsupportedURL, false), (67, .unsupportedURL, false),
        (5, .hostNotFound, false), (6, .hostNotFound, false), (7, .connectFailed, false),
        (97, .connectFailed, false), (8, .malformedResponse, true), (18, .bodyCut, true),
        (61, .malformedResponse, true), (28, .timedOut, true),
        (52, .connectionClosedBeforeResponse, true), (55, .sendFailed, true),
        (65, .sendFailed, true), (26, .sendFailed, true), (16, .connectionReset, true),
        (92, .connectionReset, true), (95, .connectionReset, true),
        (100, .limitExceeded(.headerBytes), true), (56, .connectionReset, true),
        (35, .tlsFailed(.handshake), false), (60, .tlsFailed(.certificateRejected), false),
        (58, .tlsFailed(.clientCertificateUnusable), false), (90, .tlsFailed(.pinMismatch), false),
        (98, .tlsFailed(.clientCertificateRefused), false),
        (77, .tlsFailed(.authoritiesUnusable), false), (83, .tlsFailed(.untrustedIssuer), false),
        (27, .limitExceeded(.headerLineBytes), true), (43, .malformedResponse, true),
        (23, .other(code: 23), true), (99, .other(code: 99), true),
      ] as [(Int32, TransportError.Kind, Bool)])
    func codes(code: Int32, kind: TransportError.Kind, mayHaveBeenProcessed: Bool) {
      #expect(fault(code).kind == kind)
      #expect(fault(code).mayHaveBeenProcessed == mayHaveBeenProcessed)
      #expect(fault(code).detail == (code == 27 ? "more than libcurl takes" : "words"))
    }

    @Test(
      "If a code is ambiguous, the text decides",
      arguments: [
        (1, "Received HTTP/0.9 when not allowed", .malformedResponse),
        (56, "Too large response headers: 1 > 0", .limitExceeded(.headerBytes)),
        (56, "Illegal or missing hexadecimal sequence in chunked-encoding", .malformedResponse),
        (23, "Failed writing header", .malformedResponse),
        (23, "Failed writing received data to disk/application", .undecodableBody),
        (27, "header larger than 100", .limitExceeded(.headerLineBytes)),
        (56, "CONNECT tunnel failed, response 407", .connectFailed),
        (56, "Received HTTP code 403 from proxy after CONNECT", .connectFailed),
        (56, "SSL_read: tlsv13 alert certificate required", .tlsFailed(.clientCertificateRefused)),
        (55, "SSL_write: tlsv1 alert unknown ca", .tlsFailed(.clientCertificateRefused)),
        (60, "certificate has expired", .tlsFailed(.certificateExpired)),
      ] as [(Int32, String, TransportError.Kind)])
    func words(code: Int32, text: String, kind: TransportError.Kind) {
      #expect(fault(code, text).kind == kind)
    }

    @Test("An unsupported protocol is the URL's fault, or the response's if the text says so")
    func protocols() {
      func kind(_ text: String) -> TransportError.Kind {
        CurlFault(
          code: 1, text: text, systemError: 0, refusedRepeat: false, mayHaveBeenProcessed: false
        ).fault.kind
      }
      #expect(kind("Protocol \"ftp\" not supported or disabled in libcurl") == .unsupportedURL)
      #expect(kind("Unsupported HTTP/1 subversion in response") == .malformedResponse)
    }

    @Test("TLS that ends without a close message cuts a response that has begun")
    func silentEnd() {
      for (status, kind) in [
        (nil, .connectionClosedBeforeResponse), (200, .bodyCut),
      ] as [(Int?, TransportError.Kind)] {
        let fault = CurlFault(
          code: 56, text: "OpenSSL SSL_read: SSL routines::unexpected eof while reading",
          systemError: 0, refusedRepeat: false, mayHaveBeenProcessed: true, statusCode: status
        ).fault
        #expect(fault.kind == kind)
        #expect(fault.statusCode == status)
      }
    }

    @Test("A certificate refused after a request means that it may have been processed")
    func lateRefusal() {
      for (code, isLate) in [(56, true), (55, true), (35, false)] as [(Int32, Bool)] {
        let fault = fault(code, "tlsv13 alert certificate required")
        #expect(fault.kind == .tlsFailed(.clientCertificateRefused))
        #expect(fault.mayHaveBeenProcessed == isLate)
      }
      #expect(!fault(92, "REFUSED_STREAM, retrying a fresh connect").mayHaveBeenProcessed)
    }

    @Test("The system's error code separates a refusal from other connect failures")
    func refused() {
      #expect(fault(7, errno: ECONNREFUSED).kind == .connectionRefused)
      #expect(fault(7, errno: ENETUNREACH).kind == .connectFailed)
    }

    @Test("A refused repetition counts as closed before the response")
    func refusedRepeat() {
      let fault = fault(56, refusedRepeat: true)
      #expect(fault.kind == .connectionClosedBeforeResponse)
      #expect(fault.mayHaveBeenProcessed)
      #expect(fault.detail.contains("must not run twice"))
    }

    @Test("The library gives its name, its version and the text of its codes")
    func library() throws {
      let library = try CurlLibrary.load()
      #expect(library.version.contains("."))
      #expect(library.name.contains("curl"))
      #expect(!library.text(for: 6).isEmpty)
      #expect(!library.multiText(for: 1).isEmpty)
    }
  }
#endif

@Suite("The meaning of URLSession's errors")
struct URLSessionFaultTests {
  private func fault(_ code: Int, _ text: String = "words") -> TransportError {
    URLSessionFault(
      NSError(
        domain: NSURLErrorDomain, code: code, userInfo: [NSLocalizedDescriptionKey: text])
    ).fault()
  }

  @Test(
    "Each code of URLSession has its kind; without a connection nothing was sent",
    arguments: [
      (NSURLErrorTimedOut, .timedOut, true), (NSURLErrorCannotFindHost, .hostNotFound, false),
      (NSURLErrorDNSLookupFailed, .hostNotFound, false),
      (NSURLErrorCannotConnectToHost, .connectionRefused, false),
      (NSURLErrorNotConnectedToInternet, .connectFailed, false),
      (NSURLErrorNetworkConnectionLost, .connectionReset, true),
      (NSURLErrorBadServerResponse, .malformedResponse, true),
      (NSURLErrorCannotParseResponse, .malformedResponse, true),
      (NSURLErrorCannotDecodeRawData, .undecodableBody, true),
      (NSURLErrorCannotDecodeContentData, .undecodableBody, true),
      (NSURLErrorUnsupportedURL, .unsupportedURL, false),
      (NSURLErrorBadURL, .unsupportedURL, false),
      (NSURLErrorSecureConnectionFailed, .tlsFailed(.handshake), false),
      (NSURLErrorServerCertificateUntrusted, .tlsFailed(.untrustedIssuer), false),
      (NSURLErrorServerCertificateHasBadDate, .tlsFailed(.certificateExpired), false),
      (NSURLErrorServerCertificateNotYetValid, .tlsFailed(.certificateNotYetValid), false),
      (NSURLErrorClientCertificateRequired, .tlsFailed(.clientCertificateRefused), false),
      (NSURLErrorCancelled, .other(code: NSURLErrorCancelled), true),
    ] as [(Int, TransportError.Kind, Bool)])
  func codes(code: Int, kind: TransportError.Kind, mayHaveBeenProcessed: Bool) {
    #expect(fault(code).kind == kind)
    #expect(fault(code).mayHaveBeenProcessed == mayHaveBeenProcessed)
    #expect(fault(code).detail == "words")
  }

  @Test(
    "If a code of URLSession is ambiguous, the text decides",
    arguments: [
      (NSURLErrorBadServerResponse, "Empty reply from server", .connectionClosedBeforeResponse),
      (NSURLErrorUnsupportedURL, "Received HTTP/0.9 when not allowed", .malformedResponse),
      (
        NSURLErrorUnsupportedURL, "Unsupported response code in HTTP response", .malformedResponse
      ),
      (NSURLErrorUnsupportedURL, "Recv failure: Connection reset by peer", .malformedResponse),
      (-1, "Header without colon", .malformedResponse),
      (-1, "Out of memory", .limitExceeded(.headerLineBytes)),
      (-1, "A libcurl function was given a bad argument", .malformedResponse),
      (-1, "transfer closed with 1 bytes remaining to read", .bodyCut),
      (-1, "Empty reply from server", .connectionClosedBeforeResponse),
      (-1, "Send failure: Broken pipe", .sendFailed),
      (-1, "Recv failure: Connection reset by peer", .connectionReset),
      (-1, "Header without colon", .malformedResponse),
      (-1, "SSL certificate problem", .tlsFailed(.certificateRejected)),
      (-1, "certificate has expired", .tlsFailed(.certificateExpired)),
      (-1, "Failed to connect to h port 1", .connectFailed),
      (-1, "Couldn't connect to server", .connectFailed),
      (-1, "Error while processing content unencoding: x", .undecodableBody),
      (-1, "Unrecognized or bad HTTP Content or Transfer-Encoding", .undecodableBody),
      (-1, "Failed writing received data to disk/application", .undecodableBody),
      (-1, "Too large response headers: 1 > 0", .limitExceeded(.headerBytes)),
      (-1, "Malformed encoding found in chunked-encoding", .malformedResponse),
      (-1, "Illegal or missing hexadecimal sequence", .malformedResponse),
      (-1, "Nul byte in header", .malformedResponse),
      (-1, "Invalid Content-Length: value", .malformedResponse),
      (-1, "words", .other(code: -1)),
    ] as [(Int, String, TransportError.Kind)])
  func words(code: Int, text: String, kind: TransportError.Kind) {
    #expect(fault(code, text).kind == kind)
  }

  @Test("An error after a head means processed, and has the status")
  func status() {
    let error = NSError(
      domain: NSURLErrorDomain, code: -1, userInfo: [NSLocalizedDescriptionKey: "Failed to connect"]
    )
    let fault = URLSessionFault(error).fault(behind: 204)
    #expect(fault.statusCode == 204)
    #expect(fault.mayHaveBeenProcessed)
  }

  @Test("No error and no response is a fault, too")
  func none() {
    let fault = URLSessionFault(nil).fault()
    #expect(fault.kind == .other(code: NSURLErrorUnknown))
    #expect(fault.detail == "the task ended without a response")
  }
}

@Suite("Requests that URLSession cannot send are refused")
struct URLSessionMessageTests {
  private func refusal(
    _ request: EngineRequest, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> TransportError {
    let fault = try #require(throws: TransportError.self, sourceLocation: sourceLocation) {
      try URLSessionMessage(request)
    }
    #expect(!fault.mayHaveBeenProcessed)
    return fault
  }

  @Test("A GET with a body is refused")
  func getWithBody() throws {
    let fault = try refusal(EngineRequest(url: "http://h/", body: Data("x".utf8)))
    #expect(fault.kind == .invalidRequest)
    #expect(fault.detail.contains("GET"))
  }

  @Test("A method that Foundation would send in capitals is refused", arguments: ["get", "Post"])
  func capitals(method: String) throws {
    let fault = try refusal(EngineRequest(url: "http://h/", method: method))
    #expect(fault.kind == .invalidRequest)
    #expect(fault.detail.contains("capitals"))
  }

  @Test("A URL that Foundation cannot read is refused", arguments: ["http://h/%", "http://h/%zz"])
  func badURL(url: String) throws {
    #expect(try refusal(EngineRequest(url: url)).kind == .unsupportedURL)
  }

  #if canImport(FoundationNetworking)
    @Test("An IPv6 literal is refused, on Linux")
    func ipv6() throws {
      #expect(try refusal(EngineRequest(url: "http://[::1]/")).kind == .unsupportedURL)
    }
  #endif

  @Test("Only a request that may run twice gets a stream for a repetition, of its whole body")
  func repeats() throws {
    let body = Data("body".utf8)
    let post = try URLSessionMessage(
      EngineRequest(url: "http://h/", method: "POST", body: body))
    #expect(post.streamForRepeat == nil)
    let put = try URLSessionMessage(
      EngineRequest(url: "http://h/", method: "PUT", body: body))
    let repeating = try #require(put.streamForRepeat)
    repeating.open()
    var buffer = [UInt8](repeating: 0, count: 8)
    #expect(repeating.read(&buffer, maxLength: 8) == 4)
  }

  @Test("A file that is gone when its stream is made was not sent, and there is no stream of it")
  func goneFile() throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("body", Data("bytes".utf8))
    let body = URLSessionBody.file(file, length: 5)
    let stream = try body.opened()
    stream.open()
    var buffer = [UInt8](repeating: 0, count: 8)
    #expect(stream.read(&buffer, maxLength: 8) == 5)
    stream.close()
    var request = EngineRequest(url: "http://h/", method: "PUT")
    request.upload = .file(file)
    let message = try URLSessionMessage(request)
    #expect(message.streamForRepeat != nil)
    try FileManager.default.removeItem(at: file)
    #expect(message.streamForRepeat == nil)
    let fault = try #require(throws: TransportError.self) { try body.opened() }
    #expect(fault.kind == .invalidRequest)
    #expect(!fault.mayHaveBeenProcessed)
    #expect(fault.detail.contains("check that it is there"))
  }

  #if canImport(FoundationNetworking)
    @Test("A stream that cannot be read fails at once: without one, Linux would use the old")
    func refusing() {
      let stream = RefusingInputStream()
      stream.open()
      var buffer = [UInt8](repeating: 0, count: 8)
      #expect(stream.read(&buffer, maxLength: 8) < 0)
    }
  #endif
}
