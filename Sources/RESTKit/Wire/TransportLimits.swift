/// What one response may cost: on unless raised, and an error that names the limit when it is
/// reached.
///
/// The error is a ``RESTError`` of kind `transport(.limitExceeded(…))`; what came until then is
/// dropped, never delivered as a whole.
public struct TransportLimits: Sendable, Hashable {
  /// Bytes of a whole decoded body; 64 MiB.
  public var bodyBytes = 64 << 20
  /// Bytes of a whole decoded body with a status from 400 on; 1 MiB.
  public var errorBodyBytes = 1 << 20
  /// How many bytes a compressed byte may become, once a body is past 1 MiB; 250.
  ///
  /// Compressed JSON is seldom past 30, and a bomb near 1,000. URLSession does not tell how many
  /// bytes came, so its transport has the limits on bodies only.
  public var expansionRatio = 250
  /// Bytes of all header lines, interim responses and trailers included; 300 KiB.
  ///
  /// libcurl takes 100 KiB of one line, whatever this is.
  public var headerBytes = 300 << 10
  /// How many header lines, interim responses and trailers included; 1,000.
  public var headerCount = 1_000

  public init() {}

  /// Bodies up to here are never taken for bombs.
  private static let harmlessBytes = 1 << 20

  /// Whether so many compressed bytes may become so many; a ratio of any size is no limit at most.
  func allows(decodedBytes: Int, of encodedBytes: Int) -> Bool {
    let (most, isBoundless) = encodedBytes.multipliedReportingOverflow(by: expansionRatio)
    return decodedBytes <= Self.harmlessBytes || isBoundless || decodedBytes <= most
  }

  /// The limit on a body with this status.
  func bodyLimit(status: Int) -> (kind: TransportError.Limit, bytes: Int) {
    status >= 400 && errorBodyBytes < bodyBytes
      ? (.errorBodyBytes, errorBodyBytes) : (.bodyBytes, bodyBytes)
  }
}
