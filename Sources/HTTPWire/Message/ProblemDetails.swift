import Foundation

/// A server's description of a problem, in the format of RFC 9457 (`application/problem+json`).
///
/// The texts come from the server: show them as text, and never follow `type` as a link
/// automatically.
public struct ProblemDetails: Sendable, Equatable, Decodable {
  /// A URI that identifies the kind of problem; `about:blank` if the server sends none.
  public let type: String
  /// A short summary of the kind of problem.
  public let title: String?
  /// The status in the server's document.
  ///
  /// The response's own status takes precedence.
  public let status: Int?
  /// A description of this occurrence.
  public let detail: String?
  /// A URI that identifies this occurrence.
  public let instance: String?

  private enum CodingKeys: String, CodingKey {
    case type, title, status, detail, instance
  }

  /// Reads a problem document.
  ///
  /// A member of the wrong type is ignored (RFC 9457 §3.1).
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    type = (try? members.decode(String.self, forKey: .type)) ?? "about:blank"
    title = try? members.decode(String.self, forKey: .title)
    status = try? members.decode(Int.self, forKey: .status)
    detail = try? members.decode(String.self, forKey: .detail)
    instance = try? members.decode(String.self, forKey: .instance)
  }

  /// Reads the problem in a response; nil if the response has another type, or if its body is not
  /// JSON or longer than the body of an error.
  init?(head: ResponseHead, body: Data) {
    let mediaType = head.headers["Content-Type"]?.prefix { $0 != ";" }
    guard
      mediaType?.trimmingCharacters(in: .whitespaces).lowercased() == "application/problem+json",
      body.count <= RESTError.maximumBodyLength,
      let problem = try? JSONDecoder().decode(ProblemDetails.self, from: body)
    else { return nil }
    self = problem
  }
}

extension ProblemDetails: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The status alone: the server's texts may repeat what the request contained.
  public var description: String {
    "problem\(status.map { " of status \($0)" } ?? ""), its texts hidden"
  }

  public var debugDescription: String { description }

  public var customMirror: Mirror { Mirror(self, children: ["status": status as Any]) }
}
