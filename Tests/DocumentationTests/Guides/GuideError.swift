/// What is wrong with a guide or the code that it shows.
struct GuideError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
