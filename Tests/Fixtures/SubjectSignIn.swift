import Foundation
import RESTKit
import Streams

/// A sign-in that brings what a test sends.
package struct SubjectSignIn: SignInGrant {
  package let subject = PassthroughSubject<Credential, any Error>()

  package init() {}

  package func credential(
    at now: @escaping @Sendable () -> Date
  ) -> AnyPublisher<Credential, any Error> {
    subject.eraseToAnyPublisher()
  }
}
