import Testing

extension IntegrationTests {
  /// Tests that need TLS, HTTP/2, large files or a proxy.
  @Suite(
    "Against nginx",
    .enabled(
      if: Peer.areThere, "RESTKIT_NGINX_URL is not set; Tests/IntegrationTests/run.sh installs it"))
  enum Nginx {}
}
