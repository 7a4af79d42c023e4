import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Secrets } from '../../../../infra/secrets.ts'

/** What the browser carries to GitHub and back, for each of its two ways. */
type Way = 'create' | 'install'

interface Carried {
  workspaceId: string
  id: string
  personId: string
}

/** Names the app and proves that we sent it on its way: for this workspace, this person and this step. */
export const stateOf = (secrets: Pick<Secrets, 'derive'>, way: Way, app: Carried): string =>
  `${app.id}.${signatureOf(secrets, way, app)}`

/** The app that a state names. Nothing is proven by it. */
export const appNamedIn = (state: string): string | null =>
  /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.[\w-]{43}$/.exec(state)?.[1] ?? null

export function isState(secrets: Pick<Secrets, 'derive'>, way: Way, app: Carried, state: string): boolean {
  const expected = Buffer.from(stateOf(secrets, way, app))
  const given = Buffer.from(state)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

const signatureOf = (secrets: Pick<Secrets, 'derive'>, way: Way, { workspaceId, id, personId }: Carried) =>
  createHmac('sha256', secrets.derive('github app state'))
    .update(JSON.stringify([way, workspaceId, id, personId]))
    .digest('base64url')
