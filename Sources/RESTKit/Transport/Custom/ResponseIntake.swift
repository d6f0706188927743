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
  private var body: BodyIntake

  /// - Parameters:
  ///   - limits: What the response may cost.
  ///   - isCollected: Whether the whole body is kept in memory, so that the limits on whole bodies
  ///     count.
  public init(limits: TransportLimits, isCollected: Bool) {
    self.limits = limits
    body = BodyIntake(limits, isCollected: isCollected)
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
    if let fault = ResponseFraming.fault(of: headers) { throw fault.behind(status: status) }
  }

  /// Takes the next bytes of the body as they came.
  ///
  /// - Returns: What they are with the content coding undone; empty where more is needed for that.
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

  /// Takes note that the body has ended as its framing says.
  ///
  /// - Throws: A fault of kind `bodyCut` where its compressed data have not.
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
