import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { Secrets } from '../../../../infra/secrets.ts'

/** What the browser carries to GitHub and back, for each of its two ways. */
type Way = 'create' | 'install'

interface Carried {
  workspaceId: string
  id: string
  personId: string
}

/** Names the app and proves that we sent it on its way: for this workspace, this person and this step. */
export const stateOf = (secrets: Pick<Secrets, 'macKeys'>, way: Way, app: Carried): string =>
  signed(keysOf(secrets)[0], way, app)

/** The app that a state names. Nothing is proven by it. */
export const appNamedIn = (state: string): string | null =>
  /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.[\w-]{43}$/.exec(state)?.[1] ?? null

export function isState(secrets: Pick<Secrets, 'macKeys'>, way: Way, app: Carried, state: string): boolean {
  const given = Buffer.from(state)
  return keysOf(secrets).some((key) => {
    const expected = Buffer.from(signed(key, way, app))
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}

const keysOf = (secrets: Pick<Secrets, 'macKeys'>) => secrets.macKeys('github app state')()

function signed(key: KeyObject, way: Way, { workspaceId, id, personId }: Carried): string {
  const said = JSON.stringify([way, workspaceId, id, personId])
  return `${id}.${createHmac('sha256', key).update(said).digest('base64url')}`
}
