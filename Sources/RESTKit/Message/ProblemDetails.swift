import Foundation

/// What a server says about a problem, in the form of RFC 9457 (`application/problem+json`).
///
/// It is the server's text: show it as text, and never follow `type` as a link unasked.
public struct ProblemDetails: Sendable, Equatable, Decodable {
  /// A URI that names the kind of problem; `about:blank` where the server gives none.
  public let type: String
  /// A short summary of the kind of problem.
  public let title: String?
  /// The status, as the server's document has it; the response's own counts.
  public let status: Int?
  /// What is particular to this occurrence.
  public let detail: String?
  /// A URI that names this occurrence.
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

  /// The problem that a response describes; nil where its type is another, or its body is not JSON
  /// or too long to be kept with an error.
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
  /// The status alone: what a server writes about a problem may repeat what it was sent.
  public var description: String {
    "problem\(status.map { " of status \($0)" } ?? ""), its texts hidden"
  }

  public var debugDescription: String { description }

  public var customMirror: Mirror { Mirror(self, children: ["status": status as Any]) }
}
