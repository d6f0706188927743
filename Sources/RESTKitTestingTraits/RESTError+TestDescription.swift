import RESTKit
import Testing

extension RESTError: CustomTestStringConvertible {
  /// The description, followed by the log of the call.
  ///
  /// A failing test prints it.
  public var testDescription: String { debugDescription }
}
