/// The lifetime of a token as a response says it, or the reason why it is not believed.
///
/// A lifetime that is taken a thousand times too long makes a session send a dead token, and one
/// that is taken too short makes it refresh all the time.
struct LifetimeReading {
  let duration: Duration?
  /// The reason why the lifetime is not believed; nil if it is, or if there is none.
  let doubt: String?

  /// - Parameters:
  ///   - lifetime: The server's number.
  ///   - names: The name of the lifetime's member, and its unit if the app gives one.
  init(_ lifetime: TokenLifetime, names: JSONRefreshGrant.Names) {
    let unit = names.lifetimeUnit ?? Self.unit(saidBy: names.lifetime) ?? .seconds
    let duration = lifetime.duration(perSecond: unit == .milliseconds ? 1_000 : 1)
    let doubt: String? =
      if duration == nil {
        nil
      } else if let said = Self.unit(saidBy: names.lifetime), said != unit {
        "Names.lifetimeUnit is \(unit), but the name \(names.lifetime) says \(said)"
      } else if unit == .milliseconds, let duration, duration < .seconds(1) {
        "\(names.lifetime) in milliseconds would be less than a second; "
          + "if the server means seconds, say so with Names.lifetimeUnit"
      } else {
        nil
      }
    self.duration = doubt == nil ? duration : nil
    self.doubt = doubt
  }

  /// The unit that a name's last word says; nil for a name without a unit.
  private static func unit(saidBy name: String) -> JSONRefreshGrant.LifetimeUnit? {
    switch name.lastWord {
    case "ms", "millis", "milliseconds": .milliseconds
    case "sec", "secs", "seconds": .seconds
    default: nil
    }
  }
}

extension String {
  /// The last word of a name in snake case, kebab case or camel case, in lower case.
  fileprivate var lastWord: String {
    let word = split { !$0.isLetter }.last ?? ""
    let start = word.indices.last { index in
      word[index].isUppercase && index > word.startIndex
        && word[word.index(before: index)].isLowercase
    }
    return word[(start ?? word.startIndex)...].lowercased()
  }
}
