import Foundation
import RESTKit
import Testing

extension TransportError {
  /// Expects that a fault says rightly whether the server may have acted, where its kind tells.
  package func expectTrueWord(sourceLocation: SourceLocation = #_sourceLocation) {
    switch kind {
    case .unsupportedURL, .invalidRequest, .invalidOptions, .hostNotFound, .connectionRefused,
      .connectFailed:
      #expect(!mayHaveBeenProcessed, "\(self)", sourceLocation: sourceLocation)
    case .bodyCut, .malformedResponse, .undecodableBody, .limitExceeded:
      #expect(mayHaveBeenProcessed, "\(self)", sourceLocation: sourceLocation)
    default: break
    }
  }
}

/// A body of so many bytes that are not all alike.
package func patternedBody(_ count: Int) -> Data {
  Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
}
