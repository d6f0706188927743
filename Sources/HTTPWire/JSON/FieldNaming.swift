/// How the names of a form's fields, or of a query's items, say where their values are in a nested
/// value.
///
/// No standard says it, so each server framework reads its own form:
///
/// | value | ``brackets`` | ``indexed`` | ``dots`` |
/// | --- | --- | --- | --- |
/// | `{"a": {"b": 1}}` | `a[b]=1` | `a[b]=1` | `a.b=1` |
/// | `{"a": [1, 2]}` | `a[]=1&a[]=2` | `a[0]=1&a[1]=2` | `a=1&a=2` |
/// | `{"a": [{"b": 1}]}` | `a[][b]=1` | `a[0][b]=1` | `a.b=1` |
/// | read by | Rails; PHP, but for objects in arrays | `qs` of Node.js, PHP | Go's `url.Values` |
public struct FieldNaming: Sendable, Hashable {
  private enum Form: Sendable, Hashable {
    case brackets
    case indexed
    case dots
  }

  private let form: Form

  /// Members and elements in brackets, as Rails reads them.
  ///
  /// PHP makes an element of each `a[][b]`, so it needs ``indexed`` for objects in arrays.
  public static let brackets = FieldNaming(form: .brackets)
  /// Members and the numbers of elements in brackets.
  public static let indexed = FieldNaming(form: .indexed)
  /// Members behind dots; the elements of an array repeat its name.
  public static let dots = FieldNaming(form: .dots)

  /// One step into a nested value.
  enum Step: Comparable {
    case member(String)
    case element(Int)

    /// Members are in the order of their names, elements in that of the array.
    static func < (first: Step, second: Step) -> Bool {
      switch (first, second) {
      case (.member(let first), .member(let second)): first < second
      case (.element(let first), .element(let second)): first < second
      case (.member, .element): true
      case (.element, .member): false
      }
    }
  }

  /// Returns the name of the value at a path.
  func name(of path: [Step]) -> String {
    var name = ""
    for (depth, step) in path.enumerated() {
      switch step {
      case .member(let member) where depth == 0: name += member
      case .member(let member): name += form == .dots ? ".\(member)" : "[\(member)]"
      case .element(let index):
        switch form {
        case .brackets: name += "[]"
        case .indexed: name += "[\(index)]"
        case .dots: break
        }
      }
    }
    return name
  }
}
