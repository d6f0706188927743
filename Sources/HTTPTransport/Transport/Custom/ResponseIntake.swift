import Foundation
import HTTPWire

/// An object that processes one response as RESTKit's own transports do, for transports of your
/// own.
///
/// It applies the ``TransportLimits``, refuses a head with two lengths and a 101, decodes gzip and
/// deflate (on Linux, if zlib is found), and detects a compressed body that ends early. Call its
/// methods in the order of the response, from one thread or task at a time.
public final class ResponseIntake {
  private let limits: TransportLimits
  private var headers = HTTPHeaders()
  private var status: Int?
  private var body: BodyIntake

  /// - Parameters:
  ///   - limits: The limits on the size of the response.
  ///   - isCollected: Whether the whole body is kept in memory, so that the limits on whole bodies
  ///     apply.
  ///   - choosesCodings: Whether the request has an `Accept-Encoding` of its own. A body with a
  ///     coding that is not decoded here is then delivered as it is, and otherwise only with
  ///     ``TransportLimits/keepsUnknownCodings``.
  public init(limits: TransportLimits, isCollected: Bool, choosesCodings: Bool = false) {
    self.limits = limits
    body = BodyIntake(limits, isCollected: isCollected, choosesCodings: choosesCodings)
  }

  /// The value of `Accept-Encoding` for a request that does not set it.
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
    let fault =
      ResponseFraming.faultOfSwitch(status: head.statusCode) ?? ResponseFraming.fault(of: headers)
    if let fault { throw fault.behind(status: status) }
  }

  /// Takes the next bytes of the body as received.
  ///
  /// - Returns: The decoded bytes, or empty data if the decoding needs more bytes.
  /// - Throws: A fault of kind `limitExceeded` or `undecodableBody`.
  public func take(_ bytes: Data) throws(TransportError) -> Data {
    guard !bytes.isEmpty else { return bytes }
    do throws(TransportError) {
      #if os(Linux)
        guard let decoder = try body.take(bytes.count, behind: headers, status: status) else {
          return bytes
        }
        return try decode(bytes, with: decoder)
      #else
        try body.take(bytes.count, behind: headers, status: status)
        return bytes
      #endif
    } catch {
      throw error.behind(status: status)
    }
  }

  /// Notes that the body has ended according to its framing.
  ///
  /// - Throws: A fault of kind `bodyCut` if its compressed data are incomplete.
  public func finish() throws(TransportError) {
    #if os(Linux)
      if let fault = body.faultAtEnd { throw fault.behind(status: status) }
    #endif
  }

  #if os(Linux)
    private func decode(
      _ bytes: Data, with decoder: ContentDecoder
    ) throws(TransportError) -> Data {
      var decoded = Data()
      let result = bytes.withUnsafeBytes { bytes in
        Result { () throws(TransportError) in
          try decoder.push(bytes) { (piece) throws(TransportError) in
            try body.take(decoded: piece.count, status: status)
            decoded.append(contentsOf: piece)
          }
        }
      }
      try result.get()
      return decoded
    }
  #endif
}
