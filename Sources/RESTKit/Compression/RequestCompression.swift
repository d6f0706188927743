import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// How an API compresses the bodies of its requests (RFC 9110 §8.4).
///
/// ```swift
/// struct ShopAPI: RESTAPI {
///   let baseURL = "https://api.example.com/v1"
///   let requestCompression = RequestCompression.gzip(minimumBytes: 2_048)
/// }
/// ```
///
/// Use it for a server that is known to take it: HTTP has no way to ask before the first request. One that
/// does not answers 415 as a rule, whose error tells of that.
///
/// Bytes that are in memory are compressed as a whole, and go with their new length. Files and chunks are
/// compressed while they are sent, with `Transfer-Encoding: chunked`; their progress counts compressed
/// bytes, of a total that is not known. It is done anew for each attempt. A redirect that keeps the body
/// keeps it compressed.
///
/// A body stays as it is where it is smaller than the minimum, or does not become smaller; where the
/// request has a `Content-Encoding`, a `Content-Range` or a digest of its content already; and where its
/// `Content-Type` is that of a picture, a sound, a video or an archive.
///
/// A curl command and a HAR file leave compressed bytes out unless nothing is redacted: they cannot be looked
/// through for secrets.
///
/// It is done between a verb's `requestModifier`, which sees the body as it is, and `modifyRequest(_:)`,
/// which sees what leaves.
public struct RequestCompression: Sendable, Hashable {
  /// The size from which on a body is compressed, in bytes; one of unknown size is.
  public let minimumBytes: Int

  /// gzip (RFC 1952).
  ///
  /// - Parameter minimumBytes: The size from which on a body is compressed, in bytes.
  public static func gzip(minimumBytes: Int = 1_024) -> RequestCompression {
    RequestCompression(minimumBytes: minimumBytes)
  }

  /// Compresses the body of a request, if it is to be.
  ///
  /// - Parameter body: What is sent besides the request, if anything.
  /// - Throws: `RESTError` where a file cannot be read.
  func compress(_ request: inout URLRequest, _ body: inout RequestBody?) throws(RESTError) {
    guard Deflater.isAvailable else { return }
    if let source = body {
      guard admits(source.expectedLength), isOpen(request) else { return }
      // What cannot be read fails here, before anything is sent.
      if source.file != nil {
        do throws(TransportError) {
          _ = try source.open()
        } catch {
          throw RESTError(error, request: RequestSummary(request))
        }
      }
      body = source.transformed { $0.gzipped() }
    } else {
      guard let data = request.httpBody, admits(Int64(data.count)), isOpen(request),
        let compressed = GzipEncoder.encode(data), compressed.count < data.count
      else { return }
      request.httpBody = compressed
    }
    request.replaceHeader("Content-Encoding", with: "gzip")
  }

  private func admits(_ length: Int64?) -> Bool {
    // Nothing would become something.
    length.map { $0 > 0 && $0 >= Int64(minimumBytes) } ?? true
  }

  /// Whether nothing on a request speaks of the bytes as they are.
  private func isOpen(_ request: URLRequest) -> Bool {
    let fields = request.allHTTPHeaderFields ?? [:]
    return fields.allSatisfy { name, value in
      switch name.lowercased() {
      case "content-encoding", "content-range", "content-digest", "repr-digest", "digest",
        "content-md5":
        false
      case "content-type": !Self.isCompressed(value)
      default: true
      }
    }
  }

  private static func isCompressed(_ contentType: String) -> Bool {
    let type = contentType.prefix { $0 != ";" && !$0.isWhitespace }.lowercased()
    switch type {
    case "image/svg+xml", "image/bmp", "audio/wav": return false
    case "application/zip", "application/gzip", "application/x-gzip", "application/zstd",
      "application/x-7z-compressed", "application/x-bzip2", "application/x-xz":
      return true
    default:
      return ["image/", "audio/", "video/"].contains { type.hasPrefix($0) }
    }
  }
}
