/// An event of a `text/event-stream` (HTML, 9.2).
public struct ServerSentEvent: Sendable, Hashable {
  /// The event's type, or `message` if the server gives none.
  public let type: String
  /// The event's data.
  ///
  /// Its lines are joined with a line feed.
  public let data: String
  /// The last id that the server gave with this event or an earlier one, or an empty text.
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
  /// The length of the data only, since the data may be secret.
  public var description: String { "event with \(data.utf8.count) bytes of data" }

  public var debugDescription: String { description }

  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
