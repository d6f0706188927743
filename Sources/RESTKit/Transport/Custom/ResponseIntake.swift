import Foundation

/// Takes one response in as RESTKit's own transports do: for a transport of your own.
///
/// It keeps the response within ``TransportLimits``, refuses a head with two lengths, undoes gzip and
/// deflate (on Linux, where zlib is found) and tells a compressed body that ends early. Its methods
/// are called in the order in which the response comes, by one thread or task at a time.
public final class ResponseIntake {
  private let limits: TransportLimits
  private var headers = HTTPHeaders()
  private var status: Int?
  private var meter: BodyMeter
  #if os(Linux)
    private var decoder: ContentDecoder?
  #endif

  /// - Parameters:
  ///   - limits: What the response may cost.
  ///   - isCollected: Whether the whole body is kept in memory, so that the limits on whole bodies
  ///     count.
  public init(limits: TransportLimits, isCollected: Bool) {
    self.limits = limits
    meter = BodyMeter(limits, isCollected: isCollected)
  }

  /// What a request is to say in `Accept-Encoding`, unless it says something itself.
  public static var acceptedCodings: String {
    #if os(Linux)
      ContentDecoder.acceptedCodings
    #else
      "identity"
    #endif
  }

  /// Takes the head of the final response.
  ///
  /// - Throws: A fault of kind `limitExceeded` or `malformedResponse`.
  public func take(_ head: ResponseHead) throws(TransportError) {
    status = head.statusCode
    headers = head.headers
    var heads = HeadMeter(limits)
    if let limit = heads.take(headers) { throw heads.fault(limit, status: status) }
    if let fault = ResponseFraming.fault(of: headers) { throw withStatus(fault) }
  }

  /// Takes the next bytes of the body as they came.
  ///
  /// - Returns: What they are with the content coding undone; empty where more is needed for that.
  /// - Throws: A fault of kind `limitExceeded` or `undecodableBody`.
  public func take(_ bytes: Data) throws(TransportError) -> Data {
    guard !bytes.isEmpty else { return bytes }
    let isFirst = !meter.hasBegun
    meter.take(encoded: bytes.count)
    #if os(Linux)
      // Not before there is a body: a HEAD's head may name any coding.
      if isFirst { decoder = try begin() }
      if let decoder {
        try meter.checkEncoded(status: status)
        return try decode(bytes, with: decoder)
      }
    #else
      if isFirst, headers.values(for: "Content-Encoding").contains(where: { $0 != "identity" }) {
        throw withStatus(
          TransportError(
            kind: .undecodableBody, detail: "it is encoded with what was not asked for",
            mayHaveBeenProcessed: true))
      }
    #endif
    try meter.take(decoded: bytes.count, status: status)
    return bytes
  }

  /// Takes note that the body has ended as its framing says.
  ///
  /// - Throws: A fault of kind `bodyCut` where its compressed data have not.
  public func finish() throws(TransportError) {
    #if os(Linux)
      if let fault = decoder?.faultAtEnd { throw withStatus(fault) }
    #endif
  }

  #if os(Linux)
    private func begin() throws(TransportError) -> ContentDecoder? {
      do throws(TransportError) {
        return try ContentDecoder(headers, limits: limits)
      } catch {
        throw withStatus(error)
      }
    }

    private func decode(
      _ bytes: Data, with decoder: ContentDecoder
    ) throws(TransportError) -> Data {
      var decoded = Data()
      var refusal: TransportError?
      let result = bytes.withUnsafeBytes { bytes -> Result<Void, TransportError> in
        do throws(TransportError) {
          _ = try decoder.push(bytes) { piece in
            do throws(TransportError) {
              try meter.take(decoded: piece.count, status: status)
              decoded.append(contentsOf: piece)
              return true
            } catch {
              refusal = error
              return false
            }
          }
          return .success(())
        } catch {
          return .failure(error)
        }
      }
      if let refusal { throw refusal }
      if case .failure(let fault) = result { throw withStatus(fault) }
      return decoded
    }
  #endif

  private func withStatus(_ fault: TransportError) -> TransportError {
    TransportError(
      kind: fault.kind, detail: fault.detail, mayHaveBeenProcessed: true, statusCode: status)
  }
}
