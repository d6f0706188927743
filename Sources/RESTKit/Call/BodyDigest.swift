import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What tells the body of a request from another, without its bytes.
///
/// It is valid in this process only.
enum BodyDigest: Hashable, Sendable {
  /// The bytes in memory; zero bytes without a body.
  case bytes(count: Int, hash: Int)
  /// A file that is read while it is sent: its bytes are not read for this.
  case file(path: String, size: Int64?, date: Date?)
  /// Bytes that are known only when they are sent.
  case stream

  /// - Parameter body: The body that is sent outside the request; nil for the request's own.
  init(of request: URLRequest, body: RequestBody?) {
    switch body?.source {
    case .file(let file)?:
      let path = file.resolvingSymlinksInPath().path
      let attributes = try? FileManager.default.attributesOfItem(atPath: path)
      self = .file(
        path: path, size: (attributes?[.size] as? NSNumber)?.int64Value,
        date: attributes?[.modificationDate] as? Date)
    case .data(let data)?: self.init(data)
    case .spool?, .chunks?: self = .stream
    case nil where body == nil: self.init(request.httpBody ?? Data())
    case nil: self = .stream
    }
  }

  init(_ data: Data) {
    var hasher = Hasher()
    data.withUnsafeBytes { hasher.combine(bytes: $0) }
    self = .bytes(count: data.count, hash: hasher.finalize())
  }
}
