import Foundation

/// The content of a token file, as JSON: `{"version": 1, "credential": {…}}`.
///
/// Dates are numbers of seconds as in `Date`, which decode exactly: the store compares a credential
/// with the written one.
struct TokenFile: Codable {
  static let currentVersion = 1

  let version: Int
  let credential: Credential

  private struct Head: Decodable {
    let version: Int?
  }

  /// Returns the content of a file.
  static func data(_ credential: Credential) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    return try encoder.encode(TokenFile(version: currentVersion, credential: credential))
  }

  /// Decodes the content of a file.
  ///
  /// A bare credential without a version comes from an app that encoded it itself; the next write
  /// updates the format. A refresh would lose a later version and unknown members, so both are
  /// refused. Only a sign-in or a sign-out replaces them. A null member counts as missing.
  static func credential(_ data: Data, path: String) throws(FileTokenStoreError) -> Credential {
    let decoder = JSONDecoder()
    do {
      let version = try decoder.decode(Head.self, from: data).version
      if let version, version > currentVersion { throw FileTokenStoreError.laterVersion(path) }
      let credential =
        version == nil
        ? try decoder.decode(Credential.self, from: data)
        : try decoder.decode(TokenFile.self, from: data).credential
      guard try isKnown(data, isBare: version == nil) else {
        throw FileTokenStoreError.laterVersion(path)
      }
      return credential
    } catch {
      // The decoder's own message can quote the content.
      throw error as? FileTokenStoreError ?? .malformed(path)
    }
  }

  /// Whether the next write keeps every member of a content: a known name at another level would be
  /// lost, too.
  ///
  /// - Parameter isBare: Whether the content is a credential without a version.
  private static func isKnown(_ data: Data, isBare: Bool) throws -> Bool {
    let found = try members(of: data)
    let known = try members(of: Self.data(.withAllMembers))
    guard isBare else {
      return found.file.isSubset(of: known.file) && found.credential.isSubset(of: known.credential)
    }
    // The version of a bare credential may be null.
    return found.file.subtracting(["version"]).isSubset(of: known.credential)
  }

  /// Returns the names of the members of the file, and of those of the credential in it.
  private static func members(
    of data: Data
  ) throws -> (file: Set<String>, credential: Set<String>) {
    let file = try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
    let credential = file["credential"] as? [String: Any] ?? [:]
    return (Set(file.keys), Set(credential.keys))
  }
}

extension Credential {
  /// A credential with every possible member.
  fileprivate static let withAllMembers = Credential(
    accessToken: "", refreshToken: "", issuedAt: .distantPast, expiresAt: .distantPast, scope: "",
    account: "", extras: ["": .null])
}
