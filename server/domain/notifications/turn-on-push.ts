import type { Clock } from '../../infra/clock.ts'
import type { Db } from '../../infra/db/db.ts'
import { newId } from '../../infra/ids.ts'
import { housekeeping } from '../audit/change.ts'
import { DomainError } from '../errors.ts'
import { deleteBrowser, deleteOldestBrowsers, upsertBrowser } from './person-store.ts'

const mostBrowsers = 20
const bytesOf = { p256dh: 65, auth: 16 }

/** From now on a browser takes pushes, for as long as its session lives. */
export async function turnOnPush(
  { db, clock }: { db: Db; clock: Clock },
  { personId, sessionId }: { personId: string; sessionId: string },
  { endpoint, p256dh, auth }: { endpoint: string; p256dh: string; auth: string },
): Promise<void> {
  // Called later by the client that calls no private address; here only what can never be called is refused.
  if (!isHttps(endpoint)) throw invalid('endpoint is not an https address that a browser was given')
  if (!isKey(p256dh, bytesOf.p256dh) || !isKey(auth, bytesOf.auth))
    throw invalid('p256dh and auth are not the keys that a browser gives')
  const at = clock.now()
  await housekeeping(db, 'a browser that takes pushes', async (tx) => {
    await upsertBrowser(tx, personId, { id: newId(at), sessionId, endpoint, p256dh, auth, at })
    await deleteOldestBrowsers(tx, personId, mostBrowsers)
  })
}

/** A browser of one's own takes no more pushes. */
export const turnOffPush = (db: Db, personId: string, id: string): Promise<void> =>
  housekeeping(db, 'a browser that takes no more pushes', (tx) => deleteBrowser(tx, personId, id))

/** As it is parsed: what would mean another address to somebody else is none. */
function isHttps(endpoint: string): boolean {
  if (!URL.canParse(endpoint)) return false
  const { protocol, username, password, href } = new URL(endpoint)
  return protocol === 'https:' && !username && !password && href === endpoint
}

const isKey = (text: string, bytes: number): boolean =>
  /^[\w-]+$/.test(text) && Buffer.from(text, 'base64url').length === bytes

const invalid = (what: string) => new DomainError('invalid_request', `${what}. Turn pushes on again.`)
