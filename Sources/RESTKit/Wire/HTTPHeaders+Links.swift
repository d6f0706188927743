extension HTTPHeaders {
  /// The links of all `Link` lines, in order (RFC 8288 §3).
  ///
  /// A malformed line counts up to its first fault. Reading takes time proportional to the length of the
  /// lines.
  public var links: [HTTPLink] {
    values(for: "Link").flatMap { line in
      var reader = LinkReader(line)
      var links: [HTTPLink] = []
      while let link = reader.next() { links.append(link) }
      return links
    }
  }
}
