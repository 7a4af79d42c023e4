import { Type } from 'typebox'
import { maxEmailLength, maxNameLength, maxSlugLength, passwordLength } from '../limits.ts'
import { roles } from '../roles.ts'
import { nullable, type Of, oneOf, recordOf } from '../shapes.ts'

/** What the pages send and get before anyone is signed in, and what a person changes about signing in. */

const closed = { additionalProperties: false }
const email = Type.String({ minLength: 3, maxLength: maxEmailLength })
const password = Type.String({ minLength: 1, maxLength: passwordLength.most })
const newPassword = Type.String({ minLength: passwordLength.least, maxLength: passwordLength.most })
const name = Type.String({ minLength: 1, maxLength: maxNameLength })
const code = Type.String({ minLength: 1, maxLength: 100 })
/** What a browser's passkey calls return; the server looks into it. */
const credential = recordOf(Type.Unknown(), { most: 100 })

/** GET /api/sign-in: which ways there are. */
export const SignInWays = Type.Object({
  passkey: Type.Boolean({ description: 'false where the address of the server is an IP address' }),
  oidc: nullable(Type.Object({ name: Type.String() })),
  mail: Type.Boolean({ description: 'whether a forgotten password can be reset by mail' }),
  setup: Type.Boolean({ description: 'no one has been here yet' }),
})
export type SignInWays = Of<typeof SignInWays>

/** POST /api/auth/sign-in/email */
export const PasswordSignIn = Type.Object({ email, password }, closed)
/** The answer; without a session the code is still to be sent to /api/auth/two-factor/verify-totp. */
export const SignedIn = Type.Object({ signedIn: Type.Boolean(), twoFactor: Type.Boolean() })
export type SignedIn = Of<typeof SignedIn>

/** POST /api/auth/two-factor/verify-totp and verify-backup-code */
export const Code = Type.Object({ code }, closed)
/** POST /api/auth/two-factor/enable, disable and generate-backup-codes, and prove/password */
export const Password = Type.Object({ password }, closed)
export const TwoFactorSecret = Type.Object({ totpURI: Type.String(), backupCodes: Type.Array(Type.String()) })
export type TwoFactorSecret = Of<typeof TwoFactorSecret>
export const BackupCodes = Type.Object({ backupCodes: Type.Array(Type.String()) })
export type BackupCodes = Of<typeof BackupCodes>

/** POST /api/auth/passkey/verify-authentication and prove/passkey */
export const PasskeyAssertion = Type.Object({ response: credential }, closed)
/** POST /api/auth/passkey/verify-registration */
export const PasskeyRegistration = Type.Object({ response: credential, name: Type.Optional(name) }, closed)
/** POST /api/auth/passkey/delete-passkey */
export const PasskeyId = Type.Object({ id: Type.String({ format: 'uuid' }) }, closed)
/** POST /api/auth/passkey/update-passkey */
export const PasskeyName = Type.Object({ id: Type.String({ format: 'uuid' }), name }, closed)

/** POST /api/auth/sign-in/oidc; the answer says where to send the browser. */
export const OidcSignIn = Type.Object(
  { returnTo: Type.Optional(Type.String({ pattern: '^/(?![/\\\\])[!-~]*$', maxLength: 2_000 })) },
  closed,
)
export const OidcStart = Type.Object({ url: Type.String() })
export type OidcStart = Of<typeof OidcStart>

/** POST /api/auth/device/code, from a terminal: what it shows, and what it asks with (RFC 8628). */
export const DeviceStart = Type.Object({
  device_code: Type.String(),
  user_code: Type.String(),
  verification_uri: Type.String(),
  verification_uri_complete: Type.String(),
  expires_in: Type.Integer(),
  interval: Type.Integer(),
})
export type DeviceStart = Of<typeof DeviceStart>
/** POST /api/auth/device/token, over and over; once it is confirmed, the answer sets the cookie of a session. */
export const DeviceCode = Type.Object({ device_code: code }, closed)
export const DeviceState = Type.Object({
  signedIn: Type.Boolean(),
  waiting: nullable(
    Type.String({
      description: 'authorization_pending or slow_down; expired_token, access_denied or invalid_grant end it',
    }),
  ),
})
export type DeviceState = Of<typeof DeviceState>
/** POST /api/auth/device/approve and deny, from the page that shows the code to a person who is signed in. */
export const UserCode = Type.Object({ userCode: code }, closed)

/** POST /api/auth/request-password-reset */
export const ResetRequest = Type.Object({ email }, closed)
/** POST /api/auth/reset-password */
export const Reset = Type.Object({ token: code, newPassword }, closed)
/** POST /api/auth/change-password */
export const PasswordChange = Type.Object(
  { currentPassword: password, newPassword, revokeOtherSessions: Type.Optional(Type.Boolean()) },
  closed,
)

export const Empty = Type.Object({}, closed)
export const Done = Type.Object({ ok: Type.Literal(true) })
export type Done = Of<typeof Done>

/** GET /api/setup */
export const SetupState = Type.Object({ needed: Type.Boolean() })
export type SetupState = Of<typeof SetupState>
/** POST /api/setup; the sender is signed in as the owner. */
export const Setup = Type.Object(
  {
    code,
    name,
    email,
    password: newPassword,
    workspace: Type.Object({ name, slug: Type.String({ minLength: 1, maxLength: maxSlugLength }) }, closed),
  },
  closed,
)
export type Setup = Of<typeof Setup>

/** GET /api/invitations/<code> */
export const InvitationShown = Type.Object({
  workspace: Type.Object({ slug: Type.String(), name: Type.String() }),
  role: oneOf(roles),
  email: Type.String(),
  exists: Type.Boolean({ description: 'a person has this address and signs in to accept' }),
})
export type InvitationShown = Of<typeof InvitationShown>
/** POST /api/invitations/<code>/accept: name and password of a new person, nothing of one who is signed in. */
export const InvitationAccept = Type.Object(
  { name: Type.Optional(name), password: Type.Optional(newPassword) },
  closed,
)
export const InvitationAccepted = Type.Object({ workspace: Type.String({ description: 'its slug' }) })
export type InvitationAccepted = Of<typeof InvitationAccepted>
