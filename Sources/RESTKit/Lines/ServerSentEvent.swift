/// An event of a `text/event-stream` (HTML, 9.2).
public struct ServerSentEvent: Sendable, Hashable {
  /// Its type; `message` where the server gives none.
  public let type: String
  /// Its data, lines joined with a line feed.
  public let data: String
  /// The last id that the server gave, with this event or before; empty where it gave none.
  public let id: String

  /// Makes an event.
  public init(type: String = "message", data: String, id: String = "") {
    self.type = type
    self.data = data
    self.id = id
  }
}

extension ServerSentEvent: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
  /// How long its data is: what a server sends may be secret.
  public var description: String { "event with \(data.utf8.count) bytes of data" }

  public var debugDescription: String { description }

  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
