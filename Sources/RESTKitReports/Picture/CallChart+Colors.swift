extension CallChart {
  /// A color of the picture, with a shade for the light look and one for the dark look.
  ///
  /// Each shade is a variable of the style sheet. The light shade is also an attribute of each part of
  /// the picture, for viewers that know no variables of CSS.
  enum Color: String, CaseIterable {
    case page, text, note, track, line, failure
    case queue, lookup, connect, tls, send, wait, transfer, refresh, backoff

    var light: String {
      switch self {
      case .page: "#ffffff"
      case .text: "#1c2024"
      case .note: "#5c646e"
      case .track: "#eef0f3"
      case .line: "#d5d9de"
      case .failure: "#b3261e"
      case .queue: "#c2c8d0"
      case .lookup: "#12808a"
      case .connect: "#d0650a"
      case .tls: "#8a4fd0"
      case .send: "#9a7b12"
      case .wait: "#3c9a5f"
      case .transfer: "#2b6cd9"
      case .refresh: "#c0328a"
      case .backoff: "#8b929c"
      }
    }

    var dark: String {
      switch self {
      case .page: "#15181c"
      case .text: "#eceff3"
      case .note: "#a3acb8"
      case .track: "#24292f"
      case .line: "#363d46"
      case .failure: "#ff8a80"
      case .queue: "#59616c"
      case .lookup: "#35b3bd"
      case .connect: "#f0924a"
      case .tls: "#b58af0"
      case .send: "#d3b245"
      case .wait: "#5cc485"
      case .transfer: "#6ba0f7"
      case .refresh: "#ea6dbb"
      case .backoff: "#7d8692"
      }
    }

    /// The attributes of a part that is filled with this color.
    var fill: String { "class=\"\(self)\" fill=\"\(light)\"" }

    /// The variables of all colors.
    static func variables(_ shade: (Color) -> String) -> String {
      allCases.map { "--\($0): \(shade($0));" }.joined(separator: " ")
    }
  }
}

extension CallChart.Phase {
  var color: CallChart.Color {
    switch self {
    case .queue, .omitted: .queue
    case .lookup: .lookup
    case .connect: .connect
    case .tls: .tls
    case .send: .send
    case .wait: .wait
    case .transfer: .transfer
    case .refresh: .refresh
    case .backoff: .backoff
    }
  }
}
