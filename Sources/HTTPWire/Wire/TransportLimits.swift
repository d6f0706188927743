/// The limits on the size of one response, and on its content coding.
///
/// They apply unless you raise them. A response that exceeds one fails with an error that names the
/// limit.
///
/// The error is a ``RESTError`` of kind `transport(.limitExceeded(…))`. The bytes received until
/// then are dropped and never delivered as a whole response.
public struct TransportLimits: Sendable, Hashable {
  /// The maximum size of a whole decoded body in bytes; 64 MiB by default.
  public var bodyBytes = 64 << 20
  /// The maximum size of a whole decoded body with a status of 400 or higher, in bytes; 1 MiB by
  /// default.
  public var errorBodyBytes = 1 << 20
  /// The maximum number of decoded bytes for each compressed byte, once a body exceeds 1 MiB; 250
  /// by default.
  ///
  /// Compressed JSON seldom exceeds 30, and a decompression bomb is near 1,000. URLSession does not
  /// report the number of compressed bytes, so its transport has the limits on bodies only.
  public var expansionRatio = 250
  /// The maximum size of all header lines in bytes, including interim responses and trailers; 300
  /// KiB by default.
  ///
  /// libcurl accepts at most 100 KiB for one line, regardless of this limit.
  public var headerBytes = 300 << 10
  /// The maximum number of header lines, including interim responses and trailers; 1,000 by
  /// default.
  public var headerCount = 1_000
  /// Whether a body with a content coding that the transport cannot decode is delivered as it is,
  /// with its `Content-Encoding`; false by default, so that it fails with `undecodableBody`.
  ///
  /// Some servers name a coding that is none, such as `utf-8`. A request with an `Accept-Encoding`
  /// of its own gets such a body in any case. URLSession decides by itself.
  public var keepsUnknownCodings = false

  public init() {}

  /// The body size up to which the ratio does not matter.
  private static let harmlessBytes: Int64 = 1 << 20

  /// Returns whether a body of this many compressed bytes may have this many decoded bytes.
  ///
  /// An overflow of the product means that there is no limit.
  package func allows(decodedBytes: Int64, of encodedBytes: Int64) -> Bool {
    let (most, isBoundless) = encodedBytes.multipliedReportingOverflow(
      by: Int64(expansionRatio))
    return decodedBytes <= Self.harmlessBytes || isBoundless || decodedBytes <= most
  }

  /// Returns the limit on a body with this status.
  package func bodyLimit(status: Int) -> (kind: TransportError.Limit, bytes: Int) {
    status >= 400 && errorBodyBytes < bodyBytes
      ? (.errorBodyBytes, errorBodyBytes) : (.bodyBytes, bodyBytes)
  }
}
