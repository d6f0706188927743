/// The failures that these tests send and expect.
package enum TestError: Error, Equatable, Hashable, Sendable, CaseIterable {
  case first, second, third
}

/// A failure that cannot be compared.
package struct OpaqueError: Error {
  package let code: Int

  package init(code: Int) {
    self.code = code
  }
}
