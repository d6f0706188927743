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

  /// A stream of the whole body, from its start.
  var stream: InputStream {
    switch self {
    case .data(let data): InputStream(data: data)
    case .file(let url, _): InputStream(url: url) ?? RefusingInputStream()
    }
  }
}

/// A stream that cannot be read, so that sending it fails.
final class RefusingInputStream: InputStream {
  init() { super.init(data: Data()) }

  override func open() {}
  override func close() {}
  override var hasBytesAvailable: Bool { true }
  override var streamStatus: Stream.Status { .open }
  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int { -1 }
}
