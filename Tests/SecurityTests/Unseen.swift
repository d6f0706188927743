import Testing

/// The expectations for URLSession on Apple's systems, which come from documentation: the tests
/// were never run there.
enum Unseen {
  /// The comment of an expectation; nil on Linux, where each was seen.
  ///
  /// - Parameter place: Where to correct it.
  static func note(in place: String) -> Comment? {
    #if canImport(FoundationNetworking)
      nil
    #else
      """
      What is expected of Apple's URLSession comes from documentation and was never seen. If the \
      system is right, correct \(place) and Docs/Transports.md.
      """
    #endif
  }
}
