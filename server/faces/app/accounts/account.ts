import type { reads, writes } from '@signalbox/contract/app/account.ts'
import { chooseReport } from '../../../domain/accounts/notifications/report-settings.ts'
import { choose, readSettings } from '../../../domain/accounts/notifications/settings.ts'
import { turnOffPush, turnOnPush } from '../../../domain/accounts/notifications/turn-on-push.ts'
import { listSessions, readAccount } from '../../../domain/accounts/people/read-account.ts'
import { renamePerson } from '../../../domain/accounts/people/rename.ts'
import { revokeOtherSessions, revokeSession } from '../../../domain/accounts/people/revoke-session.ts'
import type { PersonalHandlers } from '../operation.ts'

const done = { ok: true } as const

export const accountHandlers: PersonalHandlers<typeof reads & typeof writes> = {
  'account.read': async ({ personId }, _, { db }, { oidc }) => {
    const { linked, passkeys, ...account } = await readAccount(db, personId)
    return {
      ...account,
      passkeys: passkeys.map((passkey) => ({ ...passkey, createdAt: iso(passkey.createdAt) })),
      oidc: oidc && { ...oidc, linked },
    }
  },

  'account.sessions': async ({ personId, sessionId }, _, services) =>
    (await listSessions(services, personId)).map(({ createdAt, lastUsedAt, expiresAt, ...session }) => ({
      ...session,
      current: session.id === sessionId,
      createdAt: createdAt.toISOString(),
      lastUsedAt: lastUsedAt.toISOString(),
      expiresAt: expiresAt.toISOString(),
    })),

  'account.revokeSession': async ({ personId }, { id }, services) => {
    await revokeSession(services, personId, id)
    return done
  },

  'account.revokeOtherSessions': async ({ personId, sessionId }, _, services) => {
    await revokeOtherSessions(services, personId, sessionId)
    return done
  },

  'account.notifications': async ({ personId }, _, { db }, { mailer, push }) => ({
    ...(await readSettings(db, personId)),
    mail: mailer !== null,
    pushKey: push.publicKey,
  }),

  'account.setNotifications': async ({ personId }, { kind, ...ways }, services) => {
    await choose(services, personId, kind, ways)
    return done
  },

  'account.setReport': async ({ personId }, settings, services) => {
    await chooseReport(services, personId, settings)
    return done
  },

  'account.turnOnPush': async (person, browser, services, { push }) => {
    await turnOnPush(services, person, browser, push)
    return done
  },

  'account.turnOffPush': async ({ personId }, { id }, services) => {
    await turnOffPush(services, personId, id)
    return done
  },

  'account.rename': async ({ personId }, { name }, services) => {
    await renamePerson(services, personId, name)
    return done
  },
}

const iso = (moment: string | null) => moment && new Date(moment).toISOString()
