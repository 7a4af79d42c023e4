import { passwordLength } from '@signalbox/contract/limits.ts'
import { sessionDigest } from '../domain/accounts/people/find-session.ts'
import type { Identity } from '../domain/ports/identity.ts'
import { cookieName } from '../faces/http/cookie.ts'
import { poolIn } from '../infra/db/db.ts'
import type { Logger } from '../infra/log.ts'
import { betterAuthIdentity } from '../integrations/identity/better-auth.ts'
import type { Config } from './config.ts'
import type { Storage } from './storage.ts'

/** Sign the session cookie, here and in the sign-in library: the first, while the others are accepted. */
export function cookieKeysOf({ secrets }: Pick<Storage, 'secrets'>): () => readonly string[] {
  const keys = secrets.macKeys('session cookies')
  return () => keys().map((key) => key.export().toString('base64url'))
}

/** How people sign in, as it is configured. */
export function identityFrom(
  config: Config,
  storage: Pick<Storage, 'pool' | 'secrets'>,
  { publicUrl, log }: { publicUrl: () => string; log: Logger },
): Identity {
  const keys = cookieKeysOf(storage)
  const { secrets } = storage
  return betterAuthIdentity({
    pool: storage.pool,
    poolIn,
    publicUrl,
    cookieName,
    keys,
    oldestKey: () => (secrets.fingerprint === secrets.known.at(-1) ? keys()[0]! : keys().at(-1)!),
    sessionDigest,
    session: config.sessionLife,
    passwordLength,
    oidc: config.oidc,
    onTrouble: (message, error) =>
      log.warn({ ...(error ? { err: error } : {}), said: message }, 'the sign-in library had trouble'),
  })
}
