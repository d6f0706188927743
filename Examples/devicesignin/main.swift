import Foundation
import RESTKit
import RESTKitSignIn
import Streams

// devicesignin ISSUER CLIENT_ID [SCOPE]: signs in with a code that the user enters on another
// device.
let arguments = CommandLine.arguments
guard arguments.count == 3 || arguments.count == 4 else {
  print("usage: devicesignin ISSUER CLIENT_ID [SCOPE]")
  exit(64)
}

do {
  let server = try await AuthorizationServer.discover(issuer: arguments[1]).value
  let client = OAuthClient(server: server, id: arguments[2], authentication: .none)
  // Only macOS and Linux have a home directory of each user. This is the app's own folder
  // elsewhere.
  let home = URL(filePath: NSHomeDirectory())
  let session = TokenSession(
    grant: RefreshTokenGrant(client),
    store: FileTokenStore(file: home.appending(path: ".devicesignin/credential.json")))
  let grant = DeviceAuthorizationGrant(client, scope: arguments.dropFirst(3).first) { device in
    print(device)
    // Without this, the line would stay in a pipe's buffer until the tool ends.
    fflush(nil)
  }
  try await session.signIn(with: grant).value
  print("Signed in.")
} catch {
  print(error)
  exit(1)
}
