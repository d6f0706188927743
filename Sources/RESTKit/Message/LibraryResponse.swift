/// A response type that this package declares.
///
/// A user cannot change its properties, so an error about its decoding needs another remedy than "make the
/// property optional".
package protocol LibraryResponse {
  /// The remedy if a response does not decode as this type.
  static var remedy: String { get }
}
