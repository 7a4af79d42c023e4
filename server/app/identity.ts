import { passwordLength } from '@signalbox/contract/limits.ts'
import { sessionDigest } from '../domain/accounts/people/find-session.ts'
import type { Identity } from '../domain/ports/identity.ts'
import { cookieName } from '../faces/http/cookie.ts'
import { poolIn } from '../infra/db/db.ts'
import type { Logger } from '../infra/log.ts'
import { betterAuthIdentity } from '../integrations/identity/better-auth.ts'
import type { Config } from './config.ts'
import type { Storage } from './storage.ts'

/** Signs the session cookie, here and in the sign-in library. */
export const cookieKeyOf = ({ secrets }: Pick<Storage, 'secrets'>): string =>
  secrets.derive('session cookies').toString('base64url')

/** How people sign in, as it is configured. */
export function identityFrom(
  config: Config,
  storage: Pick<Storage, 'pool' | 'secrets'>,
  { publicUrl, log }: { publicUrl: () => string; log: Logger },
): Identity {
  return betterAuthIdentity({
    pool: storage.pool,
    poolIn,
    publicUrl,
    cookieName,
    key: cookieKeyOf(storage),
    sessionDigest,
    session: config.sessionLife,
    passwordLength,
    oidc: config.oidc,
    onTrouble: (message, error) =>
      log.warn({ ...(error ? { err: error } : {}), said: message }, 'the sign-in library had trouble'),
  })
}
