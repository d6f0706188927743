import Testing

extension IntegrationTests {
  /// A hostile or broken peer, byte for byte, on its own raw sockets.
  ///
  /// Each case is an attack that worked on some release of this library or of a library below it.
  @Suite("Attacks by a peer")
  enum Attack {}
}
