import { newId } from '../../../infra/ids.ts'
import { DomainError } from '../../errors.ts'
import type { Push } from '../../ports/push.ts'
import { type Happening, type Recording, recordIfChanged } from '../people/record.ts'
import { deleteBrowser, deleteOldestBrowsers, upsertBrowser } from './person-store.ts'

const mostBrowsers = 20
const bytesOf = { p256dh: 65, auth: 16 }

/** From now on a browser takes pushes, for as long as its session lives. */
export async function turnOnPush(
  services: Recording,
  { personId, sessionId }: { personId: string; sessionId: string },
  { endpoint, p256dh, auth }: { endpoint: string; p256dh: string; auth: string },
  push: Pick<Push, 'refusalOf'>,
): Promise<void> {
  if (!isHttps(endpoint)) throw invalid('endpoint is not an https address that a browser was given')
  if (!isKey(p256dh, bytesOf.p256dh) || !isKey(auth, bytesOf.auth))
    throw invalid('p256dh and auth are not the keys that a browser gives')
  const refusal = await push.refusalOf(new URL(endpoint))
  if (refusal) throw new DomainError('invalid_request', refusal)
  const at = services.clock.now()
  await recordIfChanged(services, async (tx) => {
    const isNew = await upsertBrowser(tx, personId, { id: newId(at), sessionId, endpoint, p256dh, auth, at })
    await deleteOldestBrowsers(tx, personId, mostBrowsers)
    // A browser in which they are on says so whenever the app is opened.
    return isNew ? turned(personId, 'push_turned_on') : null
  })
}

/** A browser of one's own takes no more pushes. */
export const turnOffPush = (services: Recording, personId: string, id: string): Promise<void> =>
  recordIfChanged(services, async (tx) =>
    (await deleteBrowser(tx, personId, id)) ? turned(personId, 'push_turned_off') : null,
  )

const turned = (personId: string, change: 'push_turned_on' | 'push_turned_off'): Happening => ({
  personId,
  event: 'notifications_changed',
  details: { change },
})

/** Refuses addresses that another URL parser might read differently. */
function isHttps(endpoint: string): boolean {
  if (!URL.canParse(endpoint)) return false
  const { protocol, username, password, href } = new URL(endpoint)
  return protocol === 'https:' && !username && !password && href === endpoint
}

const isKey = (text: string, bytes: number): boolean =>
  /^[\w-]+$/.test(text) && Buffer.from(text, 'base64url').length === bytes

const invalid = (what: string) => new DomainError('invalid_request', `${what}. Turn pushes on again.`)
