/// The failures that these tests send and expect.
enum TestError: Error, Equatable, Hashable, Sendable, CaseIterable {
  case first, second, third
}

/// A failure that cannot be compared.
struct OpaqueError: Error {
  let code: Int
}
