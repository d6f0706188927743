import RESTKit

extension CallChart {
  /// Returns the chart as one self-contained page, with the log as text.
  func html(log: String) -> String {
    let lines = log.split(separator: "\n", omittingEmptySubsequences: false)
      .map { "<p>\(String($0).markup)</p>" }.joined(separator: "\n")
    return """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>\(title.markup)</title>
      <style>
      :root { color-scheme: light dark; }
      body { margin: 0 auto; max-width: 60rem; padding: 1rem; background: #f4f5f7; color: #1c2024;
        font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
      svg { display: block; max-width: 36rem; margin: 0 auto; }
      h2 { font-size: 1rem; margin: 1.5rem 0 0.5rem; }
      .log { padding: 0.75rem 1rem; border-radius: 8px; background: #ffffff;
        font: 13px/1.6 ui-monospace, "SF Mono", Menlo, "DejaVu Sans Mono", monospace; }
      .log p { margin: 0; min-height: 1lh; padding-left: 10ch; text-indent: -10ch;
        white-space: pre-wrap; overflow-wrap: anywhere; }
      @media (prefers-color-scheme: dark) {
        body { background: #0d0f12; color: #eceff3; }
        .log { background: #15181c; }
      }
      </style>
      </head>
      <body>
      \(svg)<h2>The same, as text</h2>
      <div class="log">
      \(lines)
      </div>
      </body>
      </html>

      """
  }
}

extension String {
  /// This text, escaped for XML and HTML between tags and in quoted attributes.
  var markup: String {
    unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n": result += "\n"
      // XML does not allow these characters in any spelling, nor two noncharacters.
      case _ where scalar.properties.generalCategory == .control, "\u{FFFE}", "\u{FFFF}":
        result += "\u{FFFD}"
      case _ where !scalar.isPrintable: result += scalar.escaped(asASCII: true)
      default: result.unicodeScalars.append(scalar)
      }
    }
  }

  /// Returns at most this many of the first and last characters, with an ellipsis between them.
  func cut(to count: Int) -> String {
    guard self.count > count else { return self }
    return "\(prefix((count - 1) / 2))…\(suffix(count / 2))"
  }
}
