/// A type's name as a developer writes it: `[WhoAmI.Response]`, not `Array<Response>`.
///
/// The types around it belong to the name, since many endpoints have a `Response`. The module does
/// not.
package struct TypeName: CustomStringConvertible {
  package let description: String

  package init(_ type: Any.Type) {
    description = Self.withSugar(Self.withoutModules(String(reflecting: type)))
  }

  /// Removes each module's name, and what the runtime writes for a private or a local scope.
  private static func withoutModules(_ name: String) -> String {
    var text = ""
    var component = ""
    var isModule = true
    var rest = Substring(name)
    while let next = rest.popFirst() {
      switch next {
      case ".":
        if !isModule { text += component + "." }
        (component, isModule) = ("", false)
      case "(" where rest.hasPrefix("unknown context ") || rest.hasPrefix("extension in "):
        // The colon after an extension, or the dot after a scope.
        rest = rest.drop { $0 != ")" }.dropFirst(2)
      case "<", ">", ",", " ", "(", ")":
        text += component + String(next)
        // Only a dot right after it continues the same name.
        (component, isModule) = ("", !(next == ">" && rest.first == "."))
      default: component.append(next)
      }
    }
    return text + component
  }

  private static func withSugar(_ text: String) -> String {
    var name = Substring(text)
    var beginning = ""
    var ending = ""
    while name.last == ">" {
      if name.hasPrefix("Array<") {
        name = name.dropFirst(6).dropLast()
        beginning += "["
        ending = "]" + ending
      } else if name.hasPrefix("Optional<") {
        name = name.dropFirst(9).dropLast()
        ending = "?" + ending
      } else {
        break
      }
    }
    return beginning + name + ending
  }
}
