import RESTKit

/// The reason why a message cannot be expressed in the other library's types.
///
/// It names the part and the remedy. It contains no value of a header field, no user info and no
/// query.
public struct HTTPTypesError: Error, Sendable, Equatable {
  /// A part of a message.
  public enum Part: Sendable, Equatable {
    case method
    case scheme
    case authority
    case path
    /// The protocol of an extended CONNECT (RFC 8441 §4).
    case extendedConnectProtocol
    case url
    case status
    /// A header field. An invalid name is cut before its first invalid character.
    case field(name: String)
  }

  /// The part that cannot be expressed.
  public let part: Part
  /// The fault of the part, such as "has user info".
  public let reason: String
  /// The way to correct the fault.
  public let remedy: String

  init(_ part: Part, _ reason: String, remedy: String) {
    self.part = part
    self.reason = reason
    self.remedy = remedy
  }

  /// The same fault as a transport reports it: nothing was sent.
  var fault: TransportError {
    TransportError(
      kind: part == .url ? .unsupportedURL : .invalidRequest, detail: "\(part) \(reason)",
      mayHaveBeenProcessed: false)
  }
}

extension HTTPTypesError: CustomStringConvertible {
  public var description: String { "The message cannot be converted: \(part) \(reason). \(remedy)" }
}

extension HTTPTypesError.Part: CustomStringConvertible {
  public var description: String {
    switch self {
    case .method: "the method"
    case .scheme: "the scheme"
    case .authority: "the authority"
    case .path: "the path"
    case .extendedConnectProtocol: "the protocol"
    case .url: "the URL"
    case .status: "the status"
    case .field(let name): "the field \(name)"
    }
  }
}
