import Foundation
import Streams
import Synchronization

/// A credential as a session hands it to calls: one object, however many calls carry it.
final class IssuedCredential: Sendable {
  /// Where a credential is from.
  enum Source: Sendable {
    /// The app signed in with it, or put it in an older one's place, or it stood in the store.
    case given
    /// A refresh brought it; refreshes of a session are counted from 1.
    case refresh(Int)
    /// The refresh of somebody else who shares the store brought it, just now.
    case elsewhere

    /// Whether it is a refresh, whoever made that.
    var isRefresh: Bool {
      if case .given = self { false } else { true }
    }
  }

  let credential: Credential
  /// The value of `Authorization` (RFC 6750 §2.1).
  let authorization: String
  /// All that a request gets of it, made once: most requests have no other header fields.
  let headerFields: [String: String]
  /// Which sign-in it belongs to.
  let identity: TokenSession.Identity
  /// For how long it may be sent.
  let span: SignInSpan
  /// Counts the credentials of a session, from 1.
  let number: Int
  let source: Source
  /// When it is to be renewed, and when it ends; nil where nobody said.
  private let renewal: SessionMoment?
  private let end: SessionMoment?
  /// Which answers refuse it.
  let refusals: RefusalRule
  private let isProven = Atomic<Bool>(false)

  var epoch: Int { identity.epoch }

  /// The refresh that brought it; nil for one that came otherwise.
  var refreshNumber: Int? {
    if case .refresh(let number) = source { number } else { nil }
  }

  /// Whether a refresh brought it, whoever made that.
  var isRenewed: Bool { source.isRefresh }

  init(
    _ credential: Credential, of identity: TokenSession.Identity, during span: SignInSpan,
    number: Int, source: Source, at now: SessionMoment, options: TokenSessionOptions
  ) {
    self.credential = credential
    authorization = String(bearer: credential.accessToken)
    headerFields = ["Authorization": authorization]
    self.identity = identity
    self.span = span
    self.number = number
    self.source = source
    refusals = options.refusals
    let left = credential.expiresAt.map { $0.timeIntervalSince(now.date) }
    if let left, !left.isNaN, !source.isRefresh || left > 0 {
      let life = Duration.seconds(Swift.min(Swift.max(left, 0), TokenLifetime.longest))
      // A new token that lives shorter than the leeway would be renewed for ever, by all who share
      // the store in turn.
      let margin = source.isRefresh ? Swift.min(options.leeway, life / 2) : options.leeway
      end = now.advanced(by: life)
      renewal = now.advanced(by: life - margin)
    } else {
      // What a refresh brought is used until it is refused, even if it calls itself over.
      end = nil
      renewal = nil
    }
  }

  func isDue(at now: SessionMoment) -> Bool { renewal?.isOver(at: now) ?? false }

  func isExpired(at now: SessionMoment) -> Bool { end?.isOver(at: now) ?? false }

  /// Whether the last request of a part of a call had it: not a user's own, and not left behind by a
  /// redirect.
  func wasCarried(by part: CallPart) -> Bool {
    part.lastCarried(authorization: authorization)
  }

  /// Whether the API has ever accepted it.
  var wasAccepted: Bool { isProven.load(ordering: .relaxed) }

  func noteAccepted() {
    if !isProven.load(ordering: .relaxed) { isProven.store(true, ordering: .relaxed) }
  }
}
