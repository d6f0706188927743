/// A plain reader of the lines and events of a whole body.
///
/// The scanner must give the same, chunk by chunk.
enum ReferenceLines {
  /// The decoder of the WHATWG's Encoding Standard, 8.1.1, step by step.
  static func decoded(_ bytes: [UInt8]) -> String {
    var text = String.UnicodeScalarView()
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      var (needed, lower, upper): (Int, UInt8, UInt8) = (0, 0x80, 0xBF)
      var point: UInt32
      switch byte {
      case 0x00...0x7F: point = UInt32(byte)
      case 0xC2...0xDF: (needed, point) = (1, UInt32(byte & 0x1F))
      case 0xE0...0xEF:
        if byte == 0xE0 { lower = 0xA0 }
        if byte == 0xED { upper = 0x9F }
        (needed, point) = (2, UInt32(byte & 0xF))
      case 0xF0...0xF4:
        if byte == 0xF0 { lower = 0x90 }
        if byte == 0xF4 { upper = 0x8F }
        (needed, point) = (3, UInt32(byte & 0x7))
      default: point = 0xFFFD
      }
      while needed > 0 {
        guard index < bytes.count, lower...upper ~= bytes[index] else {
          point = 0xFFFD
          break
        }
        (lower, upper) = (0x80, 0xBF)
        point = point << 6 | UInt32(bytes[index] & 0x3F)
        index += 1
        needed -= 1
      }
      text.append(Unicode.Scalar(point) ?? "\u{FFFD}")
    }
    return String(text)
  }

  /// Lines that LF or CRLF ends, and what is left.
  static func lines(_ body: [UInt8]) -> [String] {
    var parts = withoutMark(body).split(separator: 0x0A, omittingEmptySubsequences: false)
      .map(Array.init)
    let last = parts.removeLast()
    let whole = parts.map { $0.last == 0x0D ? $0.dropLast() : $0 }
    return (whole + (last.isEmpty ? [] : [last])).map(decoded)
  }

  struct Event: Equatable {
    var type = ""
    var data = ""
    var id = ""
  }

  /// The events, and the last id that took effect.
  static func events(_ body: [UInt8]) -> (events: [Event], lastID: String) {
    var lines = decoded(withoutMark(body)).unicodeScalars
      .reduce(into: (lines: [String.UnicodeScalarView()], behindReturn: false)) { state, scalar in
        if scalar == "\r" || scalar == "\n" {
          if scalar == "\r" || !state.behindReturn { state.lines.append(.init()) }
        } else {
          state.lines[state.lines.count - 1].append(scalar)
        }
        state.behindReturn = scalar == "\r"
      }.lines.map { Array($0) }
    lines.removeLast()
    var (events, event, id, lastID): ([Event], Event, String, String) = ([], Event(), "", "")
    for line in lines {
      guard !line.isEmpty else {
        lastID = id
        if !event.data.isEmpty {
          event.data.unicodeScalars.removeLast()
          event.type = event.type.isEmpty ? "message" : event.type
          event.id = id
          events.append(event)
        }
        event = Event()
        continue
      }
      let name = text(line.prefix { $0 != ":" })
      var value = line.dropFirst(name.unicodeScalars.count + 1)
      if value.first == " " { value = value.dropFirst() }
      switch name {
      case "event": event.type = text(value)
      case "data": event.data += text(value) + "\n"
      case "id" where !value.contains("\0"): id = text(value)
      default: break
      }
    }
    return (events, lastID)
  }

  private static func withoutMark(_ body: [UInt8]) -> [UInt8] {
    body.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(body.dropFirst(3)) : body
  }

  private static func text(_ scalars: some Sequence<Unicode.Scalar>) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    return String(view)
  }
}
