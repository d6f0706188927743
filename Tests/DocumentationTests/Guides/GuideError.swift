/// A fault of a guide or of the code that it shows.
struct GuideError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
