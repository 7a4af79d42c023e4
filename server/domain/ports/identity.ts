import type { Tx } from '../../infra/db/db.ts'

/** The caller's: what is written in it is kept once the caller commits. */
export type Transaction = Tx

/**
 * Proves who a person is: passwords, passkeys, codes and the identity provider. It knows nothing of workspaces, roles
 * and invitations, so that it can be replaced.
 */
export interface Identity {
  /** The identity provider that is configured, as people call it. */
  readonly oidc: { name: string } | null
  /** Browsers keep passkeys for a host name, not for an IP address. */
  readonly passkeys: () => boolean
  /** A person is about to sign in. */
  prepare(): void
  /**
   * Answers a request of the sign-in pages. The path follows /api/auth. What it changes about a person it writes in the
   * transaction that it begins, and leaves it to the caller to end that.
   */
  respond(request: IdentityRequest, begin: () => Promise<Transaction>): Promise<IdentityResponse>
  /** What opens the page where a person chooses a new password, once, for a while. */
  resetToken(personId: string): Promise<string>
  /** What it has encrypted, encrypted with the key in use; null when it is already. */
  reseal(text: string): Promise<string | null>
}

export interface IdentityRequest {
  method: 'GET' | 'POST'
  path: string
  /** With its question mark. */
  query: string
  body: Record<string, unknown> | null
  cookie: string
  /** Whence, as the session is shown to its owner. */
  ipAddress: string
  userAgent: string
}

export interface IdentityResponse {
  status: number
  /** Parsed; null when there is none. */
  body: unknown
  location: string | null
  setCookies: string[]
  /** For whom a session was opened. Whether the caller may have it, its cookie says. */
  opened: string | null
  /** Whose password was reset. */
  reset: string | null
  /** When the person proved who they are to the identity provider, as it says; null: it does not say. */
  authenticatedAt: Date | null
  /** The person who has just been linked to an account at the identity provider. */
  linked: string | null
}
