extension String {
  /// As browsers write a name between its quotation marks.
  package var escapedForMultipart: String {
    guard utf8.contains(where: { $0 == 0x22 || $0 == 0x0D || $0 == 0x0A }) else { return self }
    var escaped = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"": escaped += "%22"
      case "\r": escaped += "%0D"
      case "\n": escaped += "%0A"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
