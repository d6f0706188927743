import Foundation
import HTTPWire

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The compression of an API's request bodies (RFC 9110 §8.4).
///
/// ```swift
/// struct ShopAPI: RESTAPI {
///   let baseURL = "https://api.example.com/v1"
///   let requestCompression = RequestCompression.gzip(minimumBytes: 2_048)
/// }
/// ```
///
/// Use it for a server that is known to support it: HTTP has no way to ask before the first
/// request. A server without support usually responds with a 415, and its error mentions the
/// compression.
///
/// Bytes in memory are compressed as a whole and sent with their new length. Files and chunks are
/// compressed while they are sent, with `Transfer-Encoding: chunked`. Their progress counts
/// compressed bytes, without a known total. Each attempt compresses again. A redirect that keeps
/// the body keeps it compressed.
///
/// A body stays uncompressed if it is smaller than the minimum or would not become smaller; if the
/// request already has a `Content-Encoding`, a `Content-Range` or a digest of its content; or if
/// its `Content-Type` is that of a picture, a sound, a video or an archive.
///
/// A curl command and a HAR file omit compressed bytes unless nothing is redacted, because secrets
/// in them cannot be found.
///
/// The compression runs after a verb's `requestModifier`, which sees the original body, and before
/// `modifyRequest(_:)`, which sees the body that is sent.
public struct RequestCompression: Sendable, Hashable {
  /// The minimum size, in bytes, of a compressed body.
  ///
  /// A body of unknown size is always compressed.
  public let minimumBytes: Int

  /// gzip (RFC 1952).
  ///
  /// - Parameter minimumBytes: The minimum size, in bytes, of a compressed body.
  public static func gzip(minimumBytes: Int = 1_024) -> RequestCompression {
    RequestCompression(minimumBytes: minimumBytes)
  }

  /// Compresses the body of a request if the rules allow it.
  ///
  /// - Parameters:
  ///   - body: The body outside the request, if there is one.
  ///   - makeEncoder: Makes the encoder of a body.
  /// - Throws: `RESTError` if a file cannot be read, or the system's compressor fails.
  package func compress(
    _ request: inout URLRequest, _ body: inout RequestBody?,
    with makeEncoder: @escaping @Sendable () -> GzipEncoder? = { GzipEncoder() }
  ) throws(RESTError) {
    guard Deflater.isAvailable else { return }
    if let source = body {
      guard admits(source.expectedLength), isOpen(request) else { return }
      // An unreadable file fails here, before anything is sent.
      if source.file != nil {
        do throws(TransportError) {
          _ = try source.open()
        } catch {
          throw RESTError(error, request: RequestSummary(request))
        }
      }
      body = source.transformed { $0.gzipped(with: makeEncoder) }
    } else {
      guard let data = request.httpBody, admits(Int64(data.count)), isOpen(request) else { return }
      do throws(DeflateError) {
        guard let compressed = try GzipEncoder.encode(data, with: makeEncoder()),
          compressed.count < data.count
        else { return }
        request.httpBody = compressed
      } catch {
        throw RESTError(
          .beforeSending(.sendFailed, error.text), request: RequestSummary(request))
      }
    }
    request.replaceHeader("Content-Encoding", with: "gzip")
  }

  private func admits(_ length: Int64?) -> Bool {
    // An empty body would not stay empty.
    length.map { $0 > 0 && $0 >= Int64(minimumBytes) } ?? true
  }

  /// Whether no header field of a request describes the uncompressed bytes.
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
