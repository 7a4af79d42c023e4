import { passwordLength } from '@signalbox/contract/limits.ts'
import { sessionDigest, sessionLife } from '../domain/people/find-session.ts'
import { mailReset } from '../domain/people/mail-reset.ts'
import type { Identity } from '../domain/ports/identity.ts'
import type { Mailer } from '../domain/ports/mailer.ts'
import { cookieName } from '../faces/http/cookie.ts'
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
  around: { publicUrl: () => string; mailer: Mailer | null; log: Logger },
): Identity {
  const { publicUrl, mailer, log } = around
  return betterAuthIdentity({
    pool: storage.pool,
    publicUrl,
    cookieName,
    key: cookieKeyOf(storage),
    sessionDigest,
    session: sessionLife,
    passwordLength,
    sendReset:
      mailer &&
      ((person, token) =>
        void mailReset(mailer, person, `${publicUrl()}/login/reset?token=${token}`).catch((error) =>
          log.warn({ err: error }, 'a link to reset a password could not be mailed'),
        )),
    oidc: config.oidc,
    onTrouble: (message, error) =>
      log.warn({ ...(error ? { err: error } : {}), said: message }, 'the sign-in library had trouble'),
  })
}
