#if os(Linux)
  import Foundation
  import RESTKit
  import Streams

  /// Something that happened in the engine.
  struct PodmanEvent: Decodable, Sendable {
    struct Actor: Decodable, Sendable {
      let attributes: [String: String]

      private enum CodingKeys: String, CodingKey { case attributes = "Attributes" }
    }

    let type: String
    let action: String
    let actor: Actor
    let nanoseconds: Int64

    var name: String { actor.attributes["name"] ?? "" }

    /// The time in seconds, with nine digits of its fraction.
    var time: String { "\("\(nanoseconds)".dropLast(9)).\("\(nanoseconds)".suffix(9))" }

    private enum CodingKeys: String, CodingKey {
      case type = "Type"
      case action = "Action"
      case actor = "Actor"
      case nanoseconds = "timeNano"
    }
  }

  /// The events of a type since a time, and those to come.
  struct PodmanEvents: Endpoint {
    typealias Response = JSONLines<PodmanEvent>

    let type: String
    let since: String

    let path: ResourcePath = "events"
    var query: QueryItems {
      let filters: JSONValue = ["type": [.string(type)]]
      return ["since": since, "filters": filters.text(redaction: .none)]
    }
  }

  extension PodmanAPI {
    /// The events of a type since a time, also over restarts of the service.
    ///
    /// The engine reads the time as a floating-point number, so it may send the last event again.
    func events(
      of type: String, since time: Date, _ policy: ReconnectPolicy
    ) -> AnyPublisher<PodmanEvent, any Error> {
      publisher(for: PodmanEvents(type: type, since: "\(Int(time.timeIntervalSince1970))"))
        .follow(policy) { request, last in request.settingQuery(["since": last.time]) }
        .removeDuplicates { $0.nanoseconds == $1.nanoseconds }
        .eraseToAnyPublisher()
    }
  }
#endif
