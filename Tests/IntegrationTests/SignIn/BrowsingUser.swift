import Foundation
import RESTKit
import Testing

/// A user at a browser, who logs in and answers the server's pages.
struct BrowsingUser: Sendable {
  /// Whether the user consents.
  enum Decision: Sendable, CaseIterable { case accept, deny }

  /// The text that the user enters in a control with a given name.
  struct ServerResponse: Sendable {
    let control: String
    let fields: [String: String]
  }

  private let browser: Browser
  private let logIn: [ServerResponse]
  private let consent: @Sendable (Decision) -> [ServerResponse]

  /// A user of django-oauth-toolkit's pages.
  init(of server: OAuthServer, _ registration: OAuthRegistration) {
    browser = Browser(at: server.baseURL, over: server.transport)
    logIn = [
      ServerResponse(
        control: "username",
        fields: ["username": registration.username, "password": registration.password])
    ]
    consent = { decision in
      [
        ServerResponse(control: "user_code", fields: [:]),
        ServerResponse(
          control: "allow", fields: decision == .accept ? ["allow": "Authorize"] : [:]),
        ServerResponse(
          control: "action", fields: ["action": decision == .accept ? "accept" : "deny"]),
      ]
    }
  }

  /// A user of Canaille's pages.
  init(of server: IdentityServer, _ registration: IdentityRegistration) {
    browser = Browser(at: server.baseURL, over: server.transport)
    logIn = [
      ServerResponse(control: "login", fields: ["login": registration.username]),
      ServerResponse(control: "password", fields: ["password": registration.password]),
    ]
    consent = { decision in
      [
        ServerResponse(
          control: "answer", fields: ["answer": decision == .accept ? "accept" : "deny"])
      ]
    }
  }

  /// Opens an authorization request and decides.
  ///
  /// - Returns: The callback that the server redirects to.
  func decide(_ decision: Decision, at url: URL) async throws -> URL {
    guard case .elsewhere(let callback) = try await visit(url, consent(decision)) else {
      throw Unanswered()
    }
    return callback
  }

  /// Decides about a device, by the code that it shows.
  func decide(_ decision: Decision, on userCode: String, at url: URL) async throws {
    let code = ServerResponse(control: "user_code", fields: ["user_code": userCode])
    guard case .page(let page) = try await visit(url, [code] + consent(decision)) else {
      throw Unanswered()
    }
    try #require(page.text.contains(decision == .accept ? "Authorized" : "Denied"))
  }

  /// Enters a device's code, and decides nothing.
  func enter(_ userCode: String, at url: URL) async throws {
    _ = try await visit(
      url, [ServerResponse(control: "user_code", fields: ["user_code": userCode])])
  }

  /// The page had no control that the user knows.
  struct Unanswered: Error {}

  /// Answers page by page, and each control once.
  private func visit(_ url: URL, _ answers: [ServerResponse]) async throws -> Browser.Place {
    var answers = logIn + answers
    var place = try await browser.open(url)
    while case .page(let page) = place,
      let index = answers.firstIndex(where: { page.hasControl($0.control) })
    {
      let answer = answers.remove(at: index)
      place = try await browser.submit(page, answer.fields)
    }
    return place
  }
}
