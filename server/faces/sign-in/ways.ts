import {
  Code,
  DeviceCode,
  Empty,
  OidcSignIn,
  PasskeyAssertion,
  PasskeyId,
  PasskeyName,
  PasskeyRegistration,
  Password,
  PasswordChange,
  PasswordSignIn,
  Reset,
  ResetRequest,
  UserCode,
} from '@signalbox/contract/app/sign-in.ts'
import type { TObject } from 'typebox'
import type { SignedIn } from '../../domain/accounts/people/find-session.ts'
import type { Method, MethodChange } from '../../domain/accounts/people/record.ts'

type Body = Record<string, unknown>

/** A path of the sign-in library that we answer. What is not in the table does not exist. */
export interface Way {
  method: 'GET' | 'POST'
  /** Follows /api/auth. */
  path: string
  /** What the library calls it, when it has another name for it. */
  library?: string
  input?: TObject
  /** What the library is sent, when it is not the input. */
  sent?: (input: Body, session: SignedIn | null) => Body
  /** Ends in a session, or fails to. */
  signsIn?: Method
  /** Proves within a session that it is still the same person; what the library opens for it is not kept. */
  proves?: Method
  /** Is done to one's own account and leaves an entry. */
  changes?: MethodChange
  needsSession?: true
  /** Lets someone in for longer than the session in which it is done, so a proof that is minutes old is asked for. */
  needsProof?: true
  /** Is there only when an identity provider is configured. */
  needsProvider?: true
  /** Can be used to guess, so attempts are counted. */
  guessable?: true
  /** Leaves a row for each request, so strangers are limited. */
  leavesRow?: true
  /** Takes the code of an authenticator app, which works once. */
  spendsCode?: true
  /** Is asked over and over until a person has confirmed it elsewhere: not yet is an answer, and no failure. */
  polls?: true
  /** What the caller gets of the library's answer: never the session's token. */
  respond?: (body: Body) => unknown
  /** What a refusal says. It does not say which part was wrong. */
  refusal?: string
}

const signedIn = (body: Body) =>
  body.twoFactorRedirect === true
    ? { signedIn: false, twoFactor: true }
    : { signedIn: true, twoFactor: false }

const commandLine = 'signalbox-cli'
const unknownCode = 'This code is unknown, was used or has expired. Start again in your terminal.'

const wrongPassword = 'The password is wrong.'

/** Where a browser ends up that went to the identity provider for a proof. */
export const provenPath = '/login/proven'

/** The provider asks the person, even one whom it still knows, and says when it did. */
function askingAgain(url: string): string {
  const address = new URL(url)
  address.searchParams.set('prompt', 'login')
  address.searchParams.set('max_age', '0')
  return address.href
}

export const ways: Way[] = [
  {
    method: 'POST',
    path: '/sign-in/email',
    input: PasswordSignIn,
    signsIn: 'password',
    guessable: true,
    respond: signedIn,
    refusal: 'The email address or password is wrong.',
  },
  {
    method: 'POST',
    path: '/two-factor/verify-totp',
    input: Code,
    signsIn: 'password and code',
    guessable: true,
    spendsCode: true,
    respond: signedIn,
    refusal: 'The code is wrong, expired or was used before. Wait for the next one.',
  },
  {
    method: 'POST',
    path: '/two-factor/verify-backup-code',
    input: Code,
    signsIn: 'password and backup code',
    guessable: true,
    respond: signedIn,
    refusal: 'The code is wrong or was used before.',
  },
  {
    method: 'POST',
    path: '/two-factor/enable',
    input: Password,
    needsSession: true,
    guessable: true,
    respond: ({ totpURI, backupCodes }) => ({ totpURI, backupCodes }),
    refusal: wrongPassword,
  },
  {
    method: 'POST',
    path: '/two-factor/disable',
    input: Password,
    needsSession: true,
    guessable: true,
    changes: { method: 'authenticator app', action: 'removed' },
    refusal: wrongPassword,
  },
  {
    method: 'POST',
    path: '/two-factor/generate-backup-codes',
    input: Password,
    needsSession: true,
    guessable: true,
    changes: { method: 'backup codes', action: 'changed' },
    respond: ({ backupCodes }) => ({ backupCodes }),
    refusal: wrongPassword,
  },
  {
    method: 'GET',
    path: '/passkey/generate-authenticate-options',
    leavesRow: true,
    respond: (options) => ({ ...options, userVerification: 'required' }),
  },
  {
    method: 'POST',
    path: '/passkey/verify-authentication',
    input: PasskeyAssertion,
    signsIn: 'passkey',
    guessable: true,
    respond: signedIn,
    refusal: 'The passkey was not accepted.',
  },
  {
    method: 'GET',
    path: '/passkey/generate-register-options',
    needsSession: true,
    needsProof: true,
    respond: (options) => options,
  },
  {
    method: 'POST',
    path: '/passkey/verify-registration',
    input: PasskeyRegistration,
    needsSession: true,
    needsProof: true,
    changes: { method: 'passkey', action: 'added' },
    refusal: 'The passkey was not accepted.',
  },
  {
    method: 'POST',
    path: '/passkey/update-passkey',
    input: PasskeyName,
    needsSession: true,
    changes: { method: 'passkey', action: 'changed' },
    refusal: 'This passkey was not found.',
  },
  {
    method: 'POST',
    path: '/passkey/delete-passkey',
    input: PasskeyId,
    needsSession: true,
    needsProof: true,
    changes: { method: 'passkey', action: 'removed' },
    refusal: 'This passkey was not found.',
  },
  {
    method: 'POST',
    path: '/sign-in/oidc',
    leavesRow: true,
    library: '/sign-in/social',
    needsProvider: true,
    input: OidcSignIn,
    sent: ({ returnTo }) => ({
      provider: 'oidc',
      callbackURL: returnTo ?? '/',
      errorCallbackURL: '/login',
      disableRedirect: true,
    }),
    respond: ({ url }) => ({ url }),
    refusal: 'The identity provider cannot be reached. Try again in a moment.',
  },
  {
    method: 'POST',
    path: '/prove/password',
    library: '/sign-in/email',
    input: Password,
    sent: ({ password }, session) => ({ email: session?.email, password }),
    needsSession: true,
    guessable: true,
    proves: 'password',
    refusal: wrongPassword,
  },
  {
    method: 'POST',
    path: '/prove/passkey',
    library: '/passkey/verify-authentication',
    input: PasskeyAssertion,
    needsSession: true,
    guessable: true,
    proves: 'passkey',
    refusal: 'The passkey was not accepted.',
  },
  {
    method: 'POST',
    path: '/prove/oidc',
    library: '/sign-in/social',
    needsProvider: true,
    needsSession: true,
    input: Empty,
    sent: () => ({
      provider: 'oidc',
      callbackURL: provenPath,
      errorCallbackURL: '/login',
      disableRedirect: true,
    }),
    respond: ({ url }) => ({ url: askingAgain(String(url)) }),
    refusal: 'The identity provider cannot be reached. Try again in a moment.',
  },
  { method: 'GET', path: '/callback/oidc', signsIn: 'identity provider', needsProvider: true },
  {
    method: 'POST',
    path: '/device/code',
    input: Empty,
    leavesRow: true,
    sent: () => ({ client_id: commandLine }),
    respond: (start) => start,
  },
  {
    method: 'POST',
    path: '/device/token',
    input: DeviceCode,
    polls: true,
    signsIn: 'device code',
    sent: ({ device_code }) => ({
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      ...{ device_code, client_id: commandLine },
    }),
    respond: ({ error = null }) => ({ signedIn: error === null, waiting: error }),
  },
  // The person who looks at a code first is the one who can confirm it.
  {
    method: 'GET',
    path: '/device',
    needsSession: true,
    guessable: true,
    respond: ({ status }) => ({ status }),
    refusal: unknownCode,
  },
  {
    method: 'POST',
    path: '/device/approve',
    input: UserCode,
    needsSession: true,
    needsProof: true,
    guessable: true,
    refusal: unknownCode,
  },
  {
    method: 'POST',
    path: '/device/deny',
    input: UserCode,
    needsSession: true,
    guessable: true,
    refusal: unknownCode,
  },
  { method: 'POST', path: '/sign-out', input: Empty },
  {
    method: 'POST',
    path: '/request-password-reset',
    input: ResetRequest,
    guessable: true,
    refusal: 'This is not an email address.',
  },
  {
    method: 'POST',
    path: '/reset-password',
    input: Reset,
    guessable: true,
    refusal: 'The link was already used or has expired. Request a new one.',
  },
  {
    method: 'POST',
    path: '/change-password',
    input: PasswordChange,
    sent: (input) => ({ revokeOtherSessions: true, ...input }),
    needsSession: true,
    guessable: true,
    changes: { method: 'password', action: 'changed' },
    refusal: wrongPassword,
  },
]
