import RESTKit
import Testing

extension RESTError: CustomTestStringConvertible {
  /// The description, and below it the log of the call: what a test that fails prints.
  public var testDescription: String { debugDescription }
}
