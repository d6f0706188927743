import Foundation

/// What a token file holds, as JSON: `{"version": 1, "credential": {…}}`.
///
/// Dates are numbers of seconds as `Date` has them, which come back exactly: a credential is
/// compared with what was written.
struct TokenFile: Codable {
  static let currentVersion = 1

  let version: Int
  let credential: Credential

  private struct Head: Decodable {
    let version: Int?
  }

  /// The content of a file.
  static func data(_ credential: Credential) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    return try encoder.encode(TokenFile(version: currentVersion, credential: credential))
  }

  /// Reads a file.
  ///
  /// A bare credential without a version is what an app wrote that encoded it by itself; the next
  /// write brings it up to date. A later version, and a member that this one does not know, would
  /// be lost by a refresh, so they are refused; only a sign-in or a sign-out replaces them. A member
  /// that is null is the same as one that is not there.
  static func credential(_ data: Data, path: String) throws(FileTokenStoreError) -> Credential {
    let decoder = JSONDecoder()
    do {
      let version = try decoder.decode(Head.self, from: data).version
      if let version, version > currentVersion { throw FileTokenStoreError.laterVersion(path) }
      let credential =
        version == nil
        ? try decoder.decode(Credential.self, from: data)
        : try decoder.decode(TokenFile.self, from: data).credential
      guard try members(of: data).isSubset(of: members(of: Self.data(.withAllMembers))) else {
        throw FileTokenStoreError.laterVersion(path)
      }
      return credential
    } catch {
      // The decoder's own words can quote the content.
      throw error as? FileTokenStoreError ?? .malformed(path)
    }
  }

  /// The names of all members, of the file and of the credential.
  private static func members(of data: Data) throws -> Set<String> {
    let file = try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
    let credential = file["credential"] as? [String: Any] ?? [:]
    return Set(file.keys).union(credential.keys)
  }
}

extension Credential {
  /// One that has each member that a credential can have.
  fileprivate static let withAllMembers = Credential(
    accessToken: "", refreshToken: "", expiresAt: .distantPast, scope: "", account: "")
}
