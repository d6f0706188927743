import Testing

extension IntegrationTests {
  /// A hostile or broken peer, byte for byte, on raw sockets of its own.
  ///
  /// Each case is an attack that was seen to work on some release of this library or of one below it.
  @Suite("Attacks by a peer")
  enum Attack {}
}
