import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser'
import { get, post } from '../api/client.ts'

/** Signs in with a passkey, in a window of the browser's. */
export async function signInWithPasskey(): Promise<void> {
  // The server knows one challenge of this browser at a time, and the browser shows one window.
  await stopSuggestingPasskeys()
  await signIn({ quietly: false })
}

/** Proves with a passkey, within a session, that it is still the same person. */
export async function proveWithPasskey(): Promise<void> {
  await signIn({ quietly: false, path: 'prove/passkey' })
}

let suggestion: { stop: AbortController; ended: Promise<boolean> } | null = null

/** Waits among what the browser suggests for the address. True once the person chose a passkey there. */
export async function suggestPasskeys(): Promise<boolean> {
  await stopSuggestingPasskeys()
  const stop = new AbortController()
  const ended = signIn({ quietly: true, signal: stop.signal }).catch(() => false)
  suggestion = { stop, ended }
  return ended
}

/** Ends it wherever it is, on the way to the server as well, so that nothing answers a page that is gone. */
export async function stopSuggestingPasskeys(): Promise<void> {
  suggestion?.stop.abort()
  await suggestion?.ended
}

interface SignIn {
  /** In the list of suggestions instead of a window. */
  quietly: boolean
  signal?: AbortSignal
  /** What the passkey is for; otherwise to sign in. */
  path?: string
}

async function signIn({ quietly, signal, path = 'passkey/verify-authentication' }: SignIn): Promise<boolean> {
  const { startAuthentication, browserSupportsWebAuthnAutofill, WebAuthnAbortService } = await import(
    '@simplewebauthn/browser'
  )
  if (quietly && !(await browserSupportsWebAuthnAutofill())) return false
  const options = await get<PublicKeyCredentialRequestOptionsJSON>(
    '/api/auth/passkey/generate-authenticate-options',
    {},
    signal,
  )
  signal?.throwIfAborted()
  signal?.addEventListener('abort', () => WebAuthnAbortService.cancelCeremony(), { once: true })
  const response = await startAuthentication({ optionsJSON: options, useBrowserAutofill: quietly })
  await post(`/api/auth/${path}`, { response })
  return true
}

/** The person closed the browser's window, or the browser has no passkey for this server: nothing to be told about. */
export const wasPutAway = (error: unknown): boolean =>
  error instanceof Error && /^(NotAllowedError|AbortError)$/.test(error.name)
