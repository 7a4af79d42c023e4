import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash } from 'node:crypto'
import { isIP } from 'node:net'
import type { BetterAuthOptions } from 'better-auth'
import type { Pool } from 'pg'
import type { Identity, IdentityRequest, IdentityResponse, Transaction } from '../../domain/ports/identity.ts'
import { newId } from '../../infra/ids.ts'
import { hashPassword, verifyPassword } from '../../infra/secrets.ts'
import { hashedSecrets } from './hashed-secrets.ts'
import { oidcProvider } from './oidc.ts'
import { type Handling, inOneTransaction } from './one-transaction.ts'
import { sameReads } from './same-reads.ts'
import {
  accountTable,
  deviceCodeTable,
  passkeyTable,
  sessionTable,
  twoFactorTable,
  userTable,
  verificationTable,
} from './tables.ts'

export interface IdentitySettings {
  pool: Pool
  /** A pool whose connections are all this transaction. */
  poolIn: (tx: Transaction) => Pick<Pool, 'end'>
  /** Known once the server listens. */
  publicUrl: () => string
  cookieName: string
  /** Sign cookies and encrypt the secrets of authenticator apps: the first, while the others are accepted. */
  keys: () => readonly string[]
  /** Of these the one that was used before what is encrypted named its key. */
  oldestKey: () => string
  sessionDigest: (token: string) => string
  /** Where `provenSeconds` is not 0, who may add a passkey is asked before the library is (faces/sign-in/ways.ts). */
  session: { idleSeconds: number; mostSeconds: number; provenSeconds: number }
  passwordLength: { least: number; most: number }
  oidc: { issuer: string; clientId: string; clientSecret: string; name: string } | null
  onTrouble: (message: string, error: Error | null) => void
}

type Happened = Pick<IdentityResponse, 'opened' | 'reset' | 'linked' | 'authenticatedAt'>
type Current = Handling & { happened: Happened }

/** How long a link that resets a password works. */
const resetSeconds = 3_600
/** How old a session may be that adds a passkey, where no proof is asked for. */
const daySeconds = 86_400
/** The paths on which the identity provider is spoken to. */
const throughProvider = ['/sign-in/social', '/callback/oidc']
/** A provider that was away is asked again after so long. */
const askAgainMs = 10_000

/**
 * Loading the library takes as long as loading all of our own code, and commands, tests and servers without sign-ins do
 * not need it, so it is loaded when someone is about to sign in.
 */
let loading: ReturnType<typeof loadParts> | undefined
const parts = () => {
  loading ??= loadParts()
  return loading
}

async function loadParts() {
  const [
    { betterAuth },
    { APIError },
    { getAdapter },
    { deviceAuthorization, genericOAuth, twoFactor },
    { passkey },
  ] = await Promise.all([
    import('better-auth'),
    import('better-auth/api'),
    import('better-auth/db/adapter'),
    import('better-auth/plugins'),
    import('@better-auth/passkey'),
  ])
  return { betterAuth, APIError, getAdapter, deviceAuthorization, genericOAuth, twoFactor, passkey }
}

/** The sign-in library, for identity alone: of its some forty paths we answer those in faces/sign-in/ways.ts. */
export function betterAuthIdentity(settings: IdentitySettings): Identity {
  const current = new AsyncLocalStorage<Current>()
  let madeWith: string | undefined
  let plain: ReturnType<typeof library> | undefined
  let withProvider: { at: number; auth: ReturnType<typeof library>; complete: boolean } | undefined

  // Created on first use, because our own address is not known before. A provider that is down must not keep people
  // from signing in with a password, so requests that do not involve it use an instance without it.
  async function instance(path = '') {
    const [key] = settings.keys()
    // The key in use changes while the server runs.
    if (madeWith !== key) plain = withProvider = undefined
    madeWith = key
    if (!settings.oidc || !throughProvider.includes(path)) {
      plain ??= library({ ...settings, oidc: null }, current)
      return plain.catch((error) => {
        plain = undefined
        throw error
      })
    }
    const known = withProvider
    if (known && (known.complete || Date.now() - known.at < askAgainMs)) return known.auth
    // Discovery is part of it: a provider that could not be reached is left out, and asked for again.
    const made = { at: Date.now(), auth: library(settings, current), complete: false }
    withProvider = made
    try {
      const { socialProviders } = await (await made.auth).$context
      made.complete = socialProviders.some(({ id }) => id === 'oidc')
    } catch (error) {
      if (withProvider === made) withProvider = undefined
      throw error
    }
    return made.auth
  }

  return {
    oidc: settings.oidc && { name: settings.oidc.name },
    passkeys: () => relyingParty(settings.publicUrl()) !== null,
    prepare: () => void parts(),

    async respond(asked, begin) {
      const { handler } = await instance(asked.path)
      const happened: Happened = { opened: null, reset: null, linked: null, authenticatedAt: null }
      const response = await current.run({ begin, happened }, () =>
        handler(requestOf(asked, settings.publicUrl())),
      )
      const text = await response.text()
      return {
        status: response.status,
        body: text && /\bjson\b/.test(response.headers.get('content-type') ?? '') ? JSON.parse(text) : null,
        location: response.headers.get('location'),
        setCookies: response.headers.getSetCookie(),
        ...happened,
      }
    },

    async resetToken(personId) {
      const { internalAdapter } = await (await instance()).$context
      const token = crypto.randomUUID().replaceAll('-', '')
      await internalAdapter.createVerificationValue({
        identifier: `reset-password:${token}`,
        value: personId,
        expiresAt: new Date(Date.now() + resetSeconds * 1000),
      })
      return token
    },

    async reseal(text) {
      const { parseEnvelope, symmetricDecrypt, symmetricEncrypt } = await import('better-auth/crypto')
      const { secret, secrets } = secretsOf(settings)
      const currentVersion = secrets[0]!.version
      if (parseEnvelope(text)?.version === currentVersion) return null
      const keys = new Map(secrets.map(({ version, value }) => [version, value]))
      const key = { keys, currentVersion, legacySecret: secret }
      return symmetricEncrypt({ key, data: await symmetricDecrypt({ key, data: text }) })
    },
  }
}

/** As the library wants them: what it encrypts names its key by a number, which each key has from itself. */
function secretsOf({ keys, oldestKey }: IdentitySettings) {
  const versionOf = (key: string) => createHash('sha256').update(key).digest().readUIntBE(0, 6)
  return { secret: oldestKey(), secrets: keys().map((value) => ({ version: versionOf(value), value })) }
}

const addressHeader = 'x-signalbox-address'

/** The library sees what we have checked and nothing else: our own address, whatever the Host header says. */
function requestOf(asked: IdentityRequest, publicUrl: string): Request {
  const headers = new Headers({
    origin: new URL(publicUrl).origin,
    cookie: asked.cookie,
    'user-agent': asked.userAgent,
    [addressHeader]: asked.ipAddress,
  })
  if (asked.body) headers.set('content-type', 'application/json')
  return new Request(`${new URL(publicUrl).origin}/api/auth${asked.path}${asked.query}`, {
    method: asked.method,
    headers,
    ...(asked.body ? { body: JSON.stringify(asked.body) } : {}),
  })
}

async function library(settings: IdentitySettings, current: AsyncLocalStorage<Current>) {
  const { betterAuth, getAdapter, ...plugins } = await parts()
  const options = optionsOf(settings, current, plugins)
  const adapterOn = async (database: Pick<Pool, 'end'>) =>
    hashedSecrets(
      sameReads(await getAdapter({ ...options, database } as BetterAuthOptions)),
      settings.sessionDigest,
    )
  const adapter = inOneTransaction(
    await adapterOn(settings.pool),
    (tx) => adapterOn(settings.poolIn(tx)),
    current,
  )
  return betterAuth({ ...options, database: () => adapter })
}

type Plugins = Omit<Awaited<ReturnType<typeof parts>>, 'betterAuth' | 'getAdapter'>

function optionsOf(
  settings: IdentitySettings,
  current: AsyncLocalStorage<Current>,
  { APIError, deviceAuthorization, genericOAuth, twoFactor, passkey }: Plugins,
) {
  const { session, passwordLength, onTrouble } = settings
  const origin = new URL(settings.publicUrl()).origin
  const party = relyingParty(origin)
  const note = (happened: Partial<Happened>) => {
    const request = current.getStore()
    if (request) Object.assign(request.happened, happened)
  }
  return {
    appName: 'Signalbox',
    baseURL: origin,
    basePath: '/api/auth',
    ...secretsOf(settings),
    telemetry: { enabled: false },
    // Attempts are counted in faces/sign-in/auth.ts, for all nodes together.
    rateLimit: { enabled: false },
    logger: {
      level: 'error',
      log: (_level, message, ...more) =>
        onTrouble(message, more.find((part): part is Error => part instanceof Error) ?? null),
    },
    user: userTable,
    session: {
      ...sessionTable,
      // The cookie's life. The row's is shorter and grows with use (domain/accounts/people/find-session.ts).
      expiresIn: session.mostSeconds,
      disableSessionRefresh: true,
      freshAge: session.provenSeconds > 0 ? 0 : daySeconds,
      cookieCache: { enabled: false },
    },
    account: {
      ...accountTable,
      updateAccountOnSignIn: false,
      accountLinking: { enabled: true, trustedProviders: [], requireLocalEmailVerified: true },
    },
    verification: { ...verificationTable, storeIdentifier: 'hashed' },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: passwordLength.least,
      maxPasswordLength: passwordLength.most,
      resetPasswordTokenExpiresIn: resetSeconds,
      revokeSessionsOnPasswordReset: true,
      password: { hash: hashPassword, verify: ({ hash, password }) => verifyPassword(password, hash) },
      onPasswordReset: async ({ user }) => note({ reset: user.id }),
    },
    databaseHooks: {
      session: {
        create: {
          before: async (row) => ({
            data: { ...row, expiresAt: new Date(Date.now() + session.idleSeconds * 1000) },
          }),
          after: async (row) => note({ opened: row.userId }),
        },
      },
      account: {
        create: {
          before: async (row) => ({
            data: { ...row, accessToken: null, refreshToken: null, idToken: null, scope: null },
          }),
          after: async (row) => {
            if (row.providerId === 'oidc') note({ linked: row.userId })
          },
        },
      },
    },
    advanced: {
      database: { generateId: () => newId(new Date()), validateSchema: false },
      ipAddress: { ipAddressHeaders: [addressHeader] },
      cookiePrefix: settings.cookieName,
      cookies: { session_token: { name: settings.cookieName } },
      // Whether a cookie may be Secure is a matter of the request: faces/http/cookie.ts.
      useSecureCookies: false,
      defaultCookieAttributes: { httpOnly: true, sameSite: 'lax', path: '/', secure: false },
      disableOriginCheck: false,
    },
    plugins: [
      twoFactor({ issuer: 'Signalbox', schema: twoFactorTable }),
      passkey({
        rpName: 'Signalbox',
        ...(party ? { rpID: party.id, origin: party.origins } : {}),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        authentication: {
          // A passkey replaces both factors, so its device must have asked for a finger, a face or a PIN.
          afterVerification: async ({ verification }) => {
            if (!verification.authenticationInfo.userVerified) throw new APIError('UNAUTHORIZED')
          },
        },
        advanced: { webAuthnChallengeCookie: 'passkey' },
        schema: passkeyTable,
      }),
      // Who is signed in confirms in the browser what was begun in a terminal.
      deviceAuthorization({
        expiresIn: '10m',
        interval: '2s',
        verificationUri: '/device',
        schema: deviceCodeTable,
      }),
      ...(settings.oidc ? [genericOAuth({ config: [oidcProvider(settings.oidc, note)] })] : []),
    ],
  } satisfies BetterAuthOptions
}

/** Whom passkeys are made for. This machine is `localhost` to them, under whichever of its addresses it is reached. */
function relyingParty(publicUrl: string): { id: string; origins: string[] } | null {
  const { hostname, origin, protocol, port } = new URL(publicUrl)
  const host = hostname.replace(/^\[|\]$/g, '')
  if (!isIP(host)) return { id: host, origins: [origin] }
  if (!/^127\.|^::1$/.test(host)) return null
  return { id: 'localhost', origins: [`${protocol}//localhost${port ? `:${port}` : ''}`] }
}
