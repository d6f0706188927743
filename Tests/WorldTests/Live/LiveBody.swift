import Foundation
import RESTKit

/// The bytes of a body, and what a reader must make of them.
struct LiveBody: Sendable {
  enum Effect: Sendable, Equatable {
    case value(String)
    /// A line that does not decode and is skipped.
    case skipped
    /// The id from which the next connection continues.
    case id(String)
    /// The server's delay between connections.
    case delay(Duration)
  }

  private(set) var bytes: [UInt8] = []
  /// What takes effect after so many bytes, in order.
  private(set) var marks: [(offset: Int, effect: Effect)] = []
  /// The value that the end of the body completes.
  private(set) var last: String?

  /// What has taken effect between two places.
  func effects(from start: Int, to end: Int) -> [Effect] {
    marks.filter { start < $0.offset && $0.offset <= end }.map(\.effect)
  }

  private mutating func append(_ text: String) { bytes += text.utf8 }

  /// - Parameter ahead: How many bytes after the last one it takes.
  private mutating func mark(_ effect: Effect, ahead: Int = 0) {
    marks.append((bytes.count + ahead, effect))
  }

  private mutating func appendByteOrderMark(_ draw: inout Draw) {
    if draw.chance(20) { append("\u{FEFF}") }
  }

  /// What an element of a stream says.
  struct Element: Sendable {
    let stream: Int
    let user: Int?
    let version: Int
    let number: Int
    /// Whether the stream has no other.
    let isLast: Bool

    static let texts = [
      "", "plain", "Grüße, 世界 🎉", "a: b", "x\u{2028}y\u{85}z", #"}{"\"#,
      "[\u{1F468}\u{200D}\u{1F469}]\\\\",
    ]

    var text: String {
      let words = Self.texts[(number + stream) % Self.texts.count]
      return "s\(stream) u\(user.map(String.init) ?? "-") v\(version) n\(number) \(words)"
    }
  }
}

// MARK: Events

extension LiveBody {
  private enum Ends: CaseIterable { case feed, both, carriage, mixed }

  /// The events of a stream.
  ///
  /// - Parameter id: The id that the reader has.
  static func events(
    _ elements: [Element], ids: LivePlan.Ids, after id: String, _ draw: inout Draw
  ) -> LiveBody {
    var body = LiveBody()
    body.appendByteOrderMark(&draw)
    let ends = draw.pick(Ends.allCases)
    var (id, isBehindCarriage) = (id, false)
    /// Appends a line, and returns how many bytes before its end it is complete.
    func line(_ text: String, _ draw: inout Draw) -> Int {
      var end =
        switch ends {
        case .feed: "\n"
        case .both: "\r\n"
        case .carriage: "\r"
        case .mixed: draw.pick(["\n", "\r\n", "\r"])
        }
      // That would be one end of a line.
      if text.isEmpty, isBehindCarriage, end.utf8.first == 0x0A { end = "\r" }
      isBehindCarriage = end.utf8.last == 0x0D
      body.append(text + end)
      return end.utf8.count - 1
    }
    for element in elements {
      if draw.chance(15) { _ = line(": a comment", &draw) }
      if draw.chance(10) {
        let delay = draw.pick([0, 50, 2_000, 9_000, 60_000])
        let excess = line("retry: \(delay)", &draw)
        body.mark(.delay(.milliseconds(delay)), ahead: -excess)
      }
      if ids == .cleared, draw.chance(20) {
        _ = line(draw.pick(["id", "id:", "id: "]), &draw)
        id = ""
        let excess = line("", &draw)
        body.mark(.id(id), ahead: -excess)
      }
      let type = draw.pick(["message", "message", "tick"])
      if type != "message" { _ = line("event: \(type)", &draw) }
      let hasID =
        switch ids {
        case .each: true
        // Without an id for a while, so that a break comes meanwhile.
        case .cleared: !id.isEmpty || element.number.isMultiple(of: 3)
        case .some: element.number.isMultiple(of: 3) || element.isLast
        case .none: false
        }
      let isFirst = draw.chance(50)
      // An id takes effect without data, too.
      let isApart = ids == .some && draw.chance(40)
      let before = id
      if hasID { id = "\(element.number)" }
      if hasID, isFirst, !isApart { _ = line("id: \(id)", &draw) }
      let isSplit = draw.chance(20)
      _ = line("data: \(element.text)", &draw)
      if isSplit { _ = line("data:more", &draw) }
      if hasID, !isFirst, !isApart { _ = line("id:\(id)", &draw) }
      if draw.chance(10) { _ = line("other: field", &draw) }
      let excess = line("", &draw)
      if hasID, !isApart { body.mark(.id(id), ahead: -excess) }
      let own = isApart ? before : id
      body.mark(.value("\(type)|\(own)|\(element.text)\(isSplit ? "\nmore" : "")"), ahead: -excess)
      guard hasID, isApart else { continue }
      _ = line("id: \(id)", &draw)
      let after = line("", &draw)
      body.mark(.id(id), ahead: -after)
    }
    return body
  }
}

// MARK: Lines

extension LiveBody {
  static func lines(_ elements: [Element], _ draw: inout Draw) -> LiveBody {
    var body = LiveBody()
    body.appendByteOrderMark(&draw)
    for element in elements {
      body.append(element.text)
      body.endLine(of: element, isLast: element.isLast, &draw)
    }
    return body
  }

  /// Ends a line, unless it is the last one and is drawn to be incomplete.
  private mutating func endLine(of element: Element, isLast: Bool, _ draw: inout Draw) {
    if isLast, draw.chance(30) {
      last = element.text
    } else {
      append(draw.pick(["\n", "\r\n"]))
      mark(.value(element.text))
    }
  }

  /// - Parameter hasFaults: Whether some lines do not decode.
  static func rows(_ elements: [Element], hasFaults: Bool, _ draw: inout Draw) -> LiveBody {
    var body = LiveBody()
    body.appendByteOrderMark(&draw)
    for element in elements {
      if draw.chance(10) { body.append(draw.pick(["\n", " \r\n"])) }
      if hasFaults, draw.chance(20) {
        body.append(draw.pick(["{\"n\": 1\n", "?\r\n", "{}\n", "\"\n"]))
        body.mark(.skipped)
      }
      body.append(LiveRow(element).json(isLong: false))
      body.endLine(of: element, isLast: element.number == elements.last?.number, &draw)
    }
    return body
  }

  static func records(_ elements: [Element], hasFaults: Bool, _ draw: inout Draw) -> LiveBody {
    var body = LiveBody()
    for element in elements {
      if hasFaults, draw.chance(20) {
        // A record that was cut, which the next separator ends.
        body.append("\u{1E}" + draw.pick([#"{"n": [1, {"#, #"{"t": "a\"#, "[\n1,\n", "17", "tru"]))
        body.mark(.skipped, ahead: 1)
      }
      body.append("\u{1E}" + draw.pick(["", " ", "\n"]))
      body.append(LiveRow(element).json(isLong: draw.chance(50)))
      let isLast = element.number == elements.last?.number
      if draw.chance(30) {
        // Without a line feed, the next separator ends it, or the end of the body.
        if isLast { body.last = element.text } else { body.mark(.value(element.text), ahead: 1) }
      } else {
        body.append(draw.pick(["\n", " \n"]))
        body.mark(.value(element.text))
        if draw.chance(20) { body.append("\n \r\n") }
      }
    }
    return body
  }
}

/// An element as JSON.
struct LiveRow: Decodable, Sendable {
  let number: Int
  let text: String

  private enum CodingKeys: String, CodingKey {
    case number = "n"
    case text = "t"
  }

  init(_ element: LiveBody.Element) {
    number = element.number
    text = element.text
  }

  /// - Parameter isLong: Whether it extends over several lines.
  func json(isLong: Bool) -> String {
    let quoted = text.replacingOccurrences(of: "\\", with: "\\\\")
      .replacingOccurrences(of: "\"", with: "\\\"")
    let feed = isLong ? "\n" : " "
    return
      "{\(feed)\"n\":\(number),\(feed)\"more\": [{}, [\"]\"]],\(feed)\"t\": \"\(quoted)\"\(feed)}"
  }
}
