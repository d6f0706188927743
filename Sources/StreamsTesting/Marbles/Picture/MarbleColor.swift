/// A color of a picture, with a shade for the light look and one for the dark look.
///
/// Each shade is a variable of the style sheet. The light shade is also an attribute of each part
/// of the picture, for viewers that know no variables of CSS.
enum MarbleColor {
  case page, text, note, line, axis, box, on, failure
  /// The color of a marble.
  case hue(Int)

  static let fixed: [MarbleColor] = [.page, .text, .note, .line, .axis, .box, .on, .failure]

  // Of each hue, a shade on which white can be read, and for the dark one on which black can.
  private static let hues = [
    ("#0c7480", "#43bcc7"), ("#5b6470", "#a9b3bf"), ("#8a4b33", "#d8a08a"),
    ("#7a6400", "#d9bf4a"), ("#2563c9", "#7aa9f8"), ("#b4540a", "#f0995a"),
    ("#1e7a46", "#5fc78a"), ("#8142cc", "#bd96f5"), ("#b8256f", "#f07fbf"),
  ]

  /// The number of the hue of a text: equal texts have the same hue, and digits and letters that
  /// follow each other different ones.
  static func hueNumber(of text: String) -> Int {
    text.unicodeScalars.reduce(0) { ($0 + Int(clamping: $1.value)) % hues.count }
  }

  private var shades: (light: String, dark: String) {
    switch self {
    case .page: ("#ffffff", "#15181c")
    case .text: ("#1c2024", "#eceff3")
    case .note: ("#5c646e", "#a3acb8")
    case .line: ("#8b929c", "#8d96a2")
    case .axis: ("#d5d9de", "#363d46")
    case .box: ("#f1f3f6", "#22272d")
    case .on: ("#ffffff", "#101215")
    case .failure: ("#b3261e", "#ff8a80")
    case .hue(let number): Self.hues[number]
    }
  }

  var light: String { shades.light }
  var dark: String { shades.dark }

  /// The attribute of what is filled with this color.
  var fill: String { "fill=\"\(light)\"" }
  /// The attribute of what is drawn with this color.
  var stroke: String { "stroke=\"\(light)\"" }

  /// The name of its variable, without the hyphens before it.
  private var name: String {
    if case .hue(let number) = self { "\(number)" } else { "\(self)" }
  }

  /// The variables of colors.
  static func variables(_ colors: [MarbleColor], _ shade: (MarbleColor) -> String) -> String {
    colors.map { "--\($0.name): \(shade($0));" }.joined(separator: " ")
  }
}
