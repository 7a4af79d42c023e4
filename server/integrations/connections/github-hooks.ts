import { type Connection, ToolRefused } from '../../domain/ports/connection.ts'
import type { HookHealth, HookLook, HookScope } from '../../domain/ports/connector.ts'
import type { Call } from './call.ts'
import { asApp } from './github-apps.ts'
import { type FoundHook, healthOf, ifAllowed, lookFrom, unseen } from './hook-health.ts'

interface Delivery {
  id: number
  guid: string
  delivered_at: string
  status_code: number
}

/** What is sent again at most in one look, and how often one delivery is. */
const mostAgain = 50
const mostTries = 5

/** Hooks of repositories, with a token. */
export async function lookAfterHooks(
  call: Call,
  connection: Connection,
  look: HookLook,
): Promise<HookHealth> {
  const found: FoundHook[] = []
  let isSeen = false
  for (const scope of look.scopes) {
    const path = await ifAllowed(hooksPath(call, connection, scope, { mayBeForbidden: true }))
    const hooks =
      path && (await ifAllowed(call(connection, { mayBeForbidden: true, path, query: { per_page: 100 } })))
    if (!hooks) continue
    isSeen = true
    const all = hooks.body as { id: number; active: boolean; config: { url?: string } }[]
    const ours = all.find(({ config }) => config.url === look.url)
    if (!ours) continue
    if (!ours.active)
      await call(connection, { method: 'PATCH', path: `${path}/${ours.id}`, json: { active: true } })
    const again = await sendAgain(call, connection, { path: `${path}/${ours.id}/deliveries`, look })
    found.push({ turnedOn: !ours.active, ...again })
  }
  if (look.scopes.length > 0 && !isSeen)
    return unseen('The token can’t see webhooks. Give it the permission “Webhooks: Read and write”.')
  return healthOf(found, look.scopes.length)
}

/** Asked for by its name, which leads on where it was renamed; what is written there then needs the new one. */
export async function hooksPath(
  call: Call,
  connection: Connection,
  { id, name }: HookScope,
  more: { mayBeForbidden?: boolean } = {},
): Promise<string> {
  const path = `/repos/${name.split('/').map(encodeURIComponent).join('/')}`
  const { body } = await call(connection, { ...more, path })
  // Another repository may have its former name by now.
  if (`${body.id}` !== id)
    throw new ToolRefused('not_found', `${name} is another repository now. Choose it again.`)
  return `/repos/${body.full_name}/hooks`
}

/** An app has one hook for all of its installations. */
export async function lookAfterAppHook(
  call: Call,
  connection: Connection,
  look: HookLook,
): Promise<HookHealth> {
  const own = { ...connection, credentials: {} }
  const headers = asApp(connection)
  const config = await ifAllowed(call(own, { mayBeForbidden: true, path: '/app/hook/config', headers }))
  if (config?.body?.url !== look.url) return healthOf([], 1)
  return healthOf([await sendAgain(call, own, { path: '/app/hook/deliveries', look, headers })], 1)
}

/** Has GitHub redeliver what failed since the last look: it never does so automatically. */
async function sendAgain(
  call: Call,
  connection: Connection,
  { path, look, headers = {} }: { path: string; look: HookLook; headers?: Record<string, string> },
): Promise<FoundHook> {
  const { body } = await call(connection, { path, query: { per_page: 100 }, headers })
  const deliveries = body as Delivery[]
  const from = lookFrom(look.since, Date.now())
  const tries = Map.groupBy(deliveries, ({ guid }) => guid)
  const failed = [...tries.values()].filter(
    (some) =>
      !some.some(({ status_code: status }) => status >= 200 && status < 300) &&
      some.some(({ delivered_at: at }) => Date.parse(at) >= from),
  )
  const wanted = failed.filter((some) => some.length < mostTries).slice(0, mostAgain)
  for (const [newest] of wanted)
    await call(connection, { method: 'POST', path: `${path}/${newest!.id}/attempts`, headers })
  return { failed: failed.length, again: wanted.length }
}
