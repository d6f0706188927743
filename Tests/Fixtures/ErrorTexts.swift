import Foundation

/// Every text that a value can turn into without its own help.
package func allTexts(of value: some Any) -> [String] {
  var dumped = ""
  dump(value, to: &dumped)
  var texts = [
    "\(value)", String(describing: value), String(reflecting: value), dumped, "\([value])",
    "\(value as Any?)", "\(["key": value])",
    "\(Mirror(reflecting: value).children.map { "\($0)" })",
  ]
  if let error = value as? any Error {
    texts += [
      error.localizedDescription, "\(error as NSError)", "\(Result<Int, any Error>.failure(error))",
    ]
  }
  return texts
}
