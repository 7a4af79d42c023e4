import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser'
import { get, post } from '../api/client.ts'

/** Signs in with a passkey. `quietly` waits in the browser's list of suggestions instead of opening a window. */
export async function signInWithPasskey({ quietly }: { quietly: boolean }): Promise<boolean> {
  const { startAuthentication, browserSupportsWebAuthnAutofill } = await import('@simplewebauthn/browser')
  if (quietly && !(await browserSupportsWebAuthnAutofill())) return false
  const options = await get<PublicKeyCredentialRequestOptionsJSON>(
    '/api/auth/passkey/generate-authenticate-options',
  )
  const response = await startAuthentication({ optionsJSON: options, useBrowserAutofill: quietly })
  await post('/api/auth/passkey/verify-authentication', { response })
  return true
}

/** Stops waiting, so that nothing answers a page that is gone. */
export const stopWaitingForPasskey = async (): Promise<void> =>
  (await import('@simplewebauthn/browser')).WebAuthnAbortService.cancelCeremony()

/** The person closed the browser's window, or the browser has no passkey for this server: nothing to be told of. */
export const wasPutAway = (error: unknown): boolean =>
  error instanceof Error && /^(NotAllowedError|AbortError)$/.test(error.name)
