import Foundation

/// The body of a request in the form that URLSession reads.
enum URLSessionBody {
  case data(Data)
  case file(URL, length: Int64)

  /// - Throws: `.invalidRequest` for an unreadable file, or a body that was sent before.
  init(_ request: EngineRequest) throws(TransportError) {
    guard let upload = request.upload else {
      self = .data(request.body ?? Data())
      return
    }
    switch try upload.begin() {
    case .data(let data): self = .data(data)
    case .file(let url): self = .file(url, length: try BodyFile(url).length)
    case .spool(let spool): self = .file(spool.file, length: spool.length)
    case .chunks:
      throw .beforeSending(
        .invalidRequest, "URLSession cannot wait for the chunks of a body")
    }
  }

  var length: Int64 {
    switch self {
    case .data(let data): Int64(data.count)
    case .file(_, let length): length
    }
  }

  var isEmpty: Bool { length == 0 }

  /// A stream of the whole body, from its start; nil if the file is gone or may not be read any more.
  ///
  /// On Linux, Foundation makes a stream of any URL, which fails only when it is opened.
  var stream: InputStream? {
    switch self {
    case .data(let data): InputStream(data: data)
    case .file(let url, _):
      FileManager.default.isReadableFile(atPath: url.path) ? InputStream(url: url) : nil
    }
  }

  /// A stream of the whole body, from its start.
  ///
  /// - Throws: `.invalidRequest` if the file is gone or may not be read any more.
  func opened() throws(TransportError) -> InputStream {
    guard let stream else {
      throw .beforeSending(
        .invalidRequest, "the body's file cannot be read; check that it is there and may be read")
    }
    return stream
  }
}

#if canImport(FoundationNetworking)
  /// A stream that cannot be read, so that sending it fails.
  ///
  /// On Linux it answers libcurl's wish to repeat a request: without a stream, Foundation would send on
  /// from the old one. On Apple's systems no stream is an answer, and `InputStream` is an abstract
  /// class of Objective-C, whose subclasses must not leave out what CFNetwork calls.
  final class RefusingInputStream: InputStream {
    init() { super.init(data: Data()) }

    override func open() {}
    override func close() {}
    override var hasBytesAvailable: Bool { true }
    override var streamStatus: Stream.Status { .open }
    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int { -1 }
  }
#endif
