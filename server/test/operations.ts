import { personalReads, personalWrites, reads, writes } from '@signalbox/contract/app/index.ts'
import type { Operation } from '@signalbox/contract/app/operation.ts'
import type { TObject, TSchema } from 'typebox'
import { addEndpoint } from '../domain/tools/webhooks/add.ts'
import { systemClock } from '../infra/clock.ts'
import type { testApp } from './app.ts'
import { aDecision, aMember, aRun, aStory, aToken } from './factories.ts'
import { anAlert, OnCall } from './on-call/on-call.ts'
import { signedIn } from './signed-in.ts'
import { aConnection } from './tools/connections.ts'

/** Every operation of the app, a workspace that has one of everything, and input of the right shape. */

export interface Tried {
  name: string
  method: 'GET' | 'POST'
  input: TObject
  isPersonal: boolean
}

const table = (operations: Record<string, Operation>, method: Tried['method'], isPersonal: boolean) =>
  Object.entries(operations).map(([name, { input }]): Tried => ({ name, method, input, isPersonal }))
export const operations = [
  ...table(reads, 'GET', false),
  ...table(writes, 'POST', false),
  ...table(personalReads, 'GET', true),
  ...table(personalWrites, 'POST', true),
]

/** Fields that mean the same in every operation, and those that mean a thing of the operation's noun. */
const everywhere = new Set(['team', 'story', 'incident', 'service', 'source', 'connection', 'webhook'])
const named = new Set([
  ...['decisions.key', 'runs.key', 'stories.key', 'mirror.key', 'requirements.key', 'workspaces.slug'],
  ...['requirements.slug', 'conversations.slug', 'tokens.id', 'members.id'],
])

export const noId = '0198c1f2-7d3a-7b1e-9a55-00000000dead'

type App = Awaited<ReturnType<typeof testApp>>

/** One of everything that an operation can name. */
export async function populated(app: App) {
  const onCall = await OnCall.begin(app.storage.db)
  const { workspace, team } = onCall
  const { slug } = workspace
  const story = await aStory(workspace, team)
  const run = await aRun(workspace, team, story)
  const decision = await aDecision(workspace, team, { storyId: story.id, run })
  const service = await onCall.service()
  const source = await onCall.source('generic', [service])
  await onCall.receive(source, { alerts: [anAlert()] })
  const [incident] = await onCall.incidents()
  const connection = await aConnection(workspace, app.storage.secrets, { kind: 'github' })
  const person = { ...(await aMember(workspace, 'owner')), clock: systemClock }
  const endpoint = await addEndpoint(
    person,
    { secrets: app.storage.secrets, sender: { refusalOf: async () => null } },
    { url: 'https://example.com/hook', description: '', events: ['decision.raised'], teams: null },
  )
  const { cookie, write } = await signedIn(app, { ...person, slug })
  const submitted = await write('requirements.submit', {
    team: team.slug,
    text: 'Show the delivery window on the order page.',
  })
  const requirement = (await submitted.json()) as { slug: string }
  const keys: Record<string, string> = {
    ...{ team: team.slug, story: story.key, incident: incident!.key, service: service.id, source: source.id },
    ...{ connection: connection.id, webhook: endpoint.id },
    ...{ 'decisions.key': decision.key, 'runs.key': run.key, 'stories.key': story.key },
    ...{ 'mirror.key': story.key, 'requirements.key': story.key, 'workspaces.slug': slug },
    ...{ 'requirements.slug': requirement.slug, 'conversations.slug': requirement.slug },
    ...{ 'tokens.id': (await aToken(person)).id, 'members.id': person.personId },
  }
  const signIn = async (role: 'owner' | 'member') => ({
    ...(await signedIn(app, { ...(await aMember(workspace, role)), clock: systemClock, slug })),
    slug,
  })
  return { workspace, slug, keys, cookie, signIn }
}

/** The name under which a field is in a table of keys. */
export const keyOf = ({ name }: Pick<Tried, 'name'>, field: string): string =>
  everywhere.has(field) ? field : `${name.split('.')[0]}.${field}`

/** Whether a workspace has something that the field can name. */
export const isKey = (tried: Pick<Tried, 'name'>, field: string): boolean =>
  everywhere.has(field) || named.has(keyOf(tried, field))

/** Input of the right shape, with the least there has to be. */
export function inputOf(
  tried: Pick<Tried, 'name' | 'method' | 'input'>,
  keys: Record<string, string>,
): Record<string, unknown> {
  const { properties } = tried.input
  const required: readonly string[] = tried.input.required ?? []
  const names = Object.keys(properties).filter(
    (field) => required.includes(field) || (tried.method === 'GET' && isKey(tried, field)),
  )
  return Object.fromEntries(
    names.map((field) => [field, keys[keyOf(tried, field)] ?? exampleOf(properties[field]!, field)]),
  )
}

export type Described = TSchema & {
  anyOf?: Described[]
  enum?: unknown[]
  examples?: unknown[]
  format?: string
  items?: Described
  minItems?: number
  minLength?: number
  minimum?: number
  pattern?: string
  properties?: Record<string, Described>
  required?: string[]
  type?: string
}

function exampleOf(schema: Described, name: string): unknown {
  if (schema.anyOf) return exampleOf(schema.anyOf.at(-1)!, name)
  if (schema.enum) return schema.enum[0]
  switch (schema.type) {
    case 'null':
      return null
    case 'boolean':
      return false
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => exampleOf(schema.items!, name))
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((field) => [field, exampleOf(schema.properties![field]!, field)]),
      )
    default:
      return textOf(schema, name)
  }
}

function textOf({ examples, format, minLength = 1, pattern }: Described, name: string): string {
  if (format === 'uuid' || pattern?.startsWith('^[0-9a-f]{8}')) return noId
  if (format === 'date-time') return '2026-01-01T00:00:00Z'
  if (name === 'email') return 'a@example.com'
  if (name === 'keyPrefix') return 'NONE'
  return (examples?.[0] as string | undefined) ?? 'a'.repeat(minLength)
}
