import { randomBytes } from 'node:crypto'
import type { Role } from '@signalbox/contract/roles.ts'
import type { Storage } from '../app/storage.ts'
import { sessionDigest } from '../domain/accounts/people/find-session.ts'
import type { Context } from '../domain/context.ts'
import { housekeeping } from '../domain/record/audit/change.ts'
import { cookieName, signedToken } from '../faces/http/cookie.ts'
import { newId } from '../infra/ids.ts'
import { aMember } from './factories.ts'
import { tables } from './tables.ts'

type App = { url: string; storage: Pick<Storage, 'db' | 'secrets'> }

/** Browsers of new members of a workspace, by role. */
export const browsersOf =
  (app: App, workspace: Parameters<typeof aMember>[0] & { slug: string }) => async (role: Role) =>
    signedIn(app, { ...(await aMember(workspace, role)), slug: workspace.slug })

/** A browser in which a member is signed in: without the sign-in, which has tests of its own. */
export async function signedIn(app: App, member: Context & { personId: string; slug: string }) {
  const token = randomBytes(24).toString('base64url')
  const now = member.clock.now()
  const sessionId = newId(now)
  await housekeeping(app.storage.db, 'a session for a test', (tx) =>
    tables(tx)
      .insertInto('sessions')
      .values({
        id: sessionId,
        person_id: member.personId,
        token: sessionDigest(token),
        expires_at: new Date(now.getTime() + 86_400_000),
        created_at: now,
        updated_at: now,
      })
      .execute(),
  )
  const key = app.storage.secrets.derive('session cookies').toString('base64url')
  const cookie = `${cookieName}=${signedToken(token, key)}`
  const path = (name: string) => `${app.url}/api/w/${member.slug}/${name}`
  return {
    cookie,
    sessionId,
    read: (name: string, input: Record<string, string> = {}) =>
      fetch(`${path(name)}?${new URLSearchParams(input)}`, { headers: { cookie } }),
    write: (name: string, input: unknown = {}, headers: Record<string, string> = {}) =>
      fetch(path(name), {
        method: 'POST',
        headers: { cookie, 'content-type': 'application/json', origin: app.url, ...headers },
        body: JSON.stringify(input),
      }),
  }
}
