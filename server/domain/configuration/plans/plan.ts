import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Resources } from '@signalbox/contract/manage/configuration.ts'
import type { Plan, PlannedChange } from '@signalbox/contract/manage/plan.ts'
import { type ResourceKind, resourceKinds, resourceNouns } from '@signalbox/contract/resource-kinds.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { requireRole } from '../../roles.ts'
import { givenSecret } from '../resources/given-secret.ts'
import { kinds } from '../resources/index.ts'
import type { Around, Asked, Tools } from '../resources/kind.ts'
import { asStored, differingFields, withoutSecrets } from './compare-specs.ts'
import { orOvertaken } from './or-overtaken.ts'
import { type Existing, readState, type State } from './state.ts'

/** A change with what it takes to make it. */
export interface Step extends PlannedChange {
  existing: Existing | undefined
  wanted: object | undefined
}

/** One that is as the file says already, with what that is. */
type Settled = Existing & { applied: object }

export interface Planned {
  state: State
  steps: Step[]
  adopted: Settled[]
  /** As the file says, which is not what it said when it was applied last. */
  restated: Settled[]
  abandoned: Existing[]
  /** As callers see it. */
  plan: Plan
}

/** What it would take to make the workspace as the file says. Changes nothing. */
export async function planConfiguration(
  ctx: Context,
  tools: Tools,
  given: Resources,
  { prune = false, secrets = 'where given' }: { prune?: boolean; secrets?: 'all' | 'where given' } = {},
): Promise<Planned> {
  requireRole(ctx, 'admin', 'manage the configuration')
  const wanted = await withEveryField(given)
  if (secrets === 'all') await refuseUnreadSecrets(wanted)
  const state = await readState(ctx, tools, given)
  refuseLooseEnds(wanted, state)
  const steps: Step[] = []
  const adopted: Settled[] = []
  const restated: Settled[] = []
  const around = { tools, after: (kind: ResourceKind) => afterwards(kind, wanted, state) }
  for (const { kind, name, spec } of wanted) {
    const existing = state.find(kind, name)
    const fields = await within(kind, name, () => differences(ctx, tools, { kind, name, spec }, existing))
    const asked = { name, before: existing?.spec, wanted: spec }
    if (!existing || fields.length > 0)
      await within(kind, name, () => check(ctx, kind, asked, { state, around }))
    if (!existing) steps.push({ action: 'create', kind, name, fields, existing, wanted: spec })
    else if (fields.length > 0) steps.push({ action: 'change', kind, name, fields, existing, wanted: spec })
    else {
      const applied = asStored(kind, spec)
      if (!existing.managed || existing.unlockedAt) adopted.push({ ...existing, applied })
      else if (!isDeepStrictEqual(existing.applied, applied)) restated.push({ ...existing, applied })
    }
  }
  const isWanted = ({ kind, name }: Existing) => Object.hasOwn(given[kind] ?? {}, name)
  const others = state.all().filter((existing) => !isWanted(existing))
  const abandoned = others.filter(({ managed }) => managed)
  // What depends on others goes before them.
  if (prune) steps.push(...abandoned.toReversed().map(removal))
  const changes = steps.map(({ action, kind, name, fields }) => ({ action, kind, name, fields }))
  const told = { changes, adopted: adopted.map(reference), abandoned: prune ? [] : abandoned.map(reference) }
  const fingerprint = createHash('sha256').update(JSON.stringify(told)).digest('base64url')
  const unmanaged = others.length - abandoned.length
  return { state, steps, adopted, restated, abandoned, plan: { ...told, unmanaged, fingerprint } }
}

interface Wanted {
  kind: ResourceKind
  name: string
  spec: object
}

/** In the order in which they are made. A description that cannot be is refused by where it is in the file. */
async function withEveryField(given: Resources): Promise<Wanted[]> {
  const all: Wanted[] = []
  for (const kind of resourceKinds)
    for (const [name, spec] of Object.entries(given[kind] ?? {}).toSorted(byName))
      all.push({ kind, name, spec: await within(kind, name, () => kinds[kind].full(spec)) })
  return all
}

const byName = ([a]: [string, object], [b]: [string, object]) => (a < b ? -1 : 1)

/** Says where in the file it is that something was refused. */
async function within<T>(kind: ResourceKind, name: string, work: () => T): Promise<Awaited<T>> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof DomainError) throw new DomainError(error.code, `${kind}.${name}: ${error.message}`)
    throw error
  }
}

/** What a description names must be in the file or in the workspace. */
function refuseLooseEnds(wanted: Wanted[], state: State): void {
  const known = new Set(wanted.map(({ kind, name }) => `${kind} ${name}`))
  for (const { kind, name, spec } of wanted) {
    const loose = kinds[kind]
      .refers(name, spec)
      .find((one) => !known.has(`${one.kind} ${one.name}`) && !state.find(one.kind, one.name))
    if (loose)
      throw new DomainError(
        'invalid_request',
        `${kind}.${name} names the ${resourceNouns[loose.kind]} ${loose.name}, which is neither in the file nor in the workspace.`,
      )
  }
}

async function check(
  ctx: Context,
  kind: ResourceKind,
  asked: Asked<object>,
  { state, around }: { state: State; around: Around },
): Promise<void> {
  try {
    await kinds[kind].check?.(ctx, asked, around)
  } catch (error) {
    if (!(error instanceof DomainError) || asked.before) throw error
    throw await orOvertaken(ctx, state, { kind, name: asked.name }, error)
  }
}

/** A secret that was left where it is can be planned with, and not be applied. */
async function refuseUnreadSecrets(wanted: Wanted[]): Promise<void> {
  for (const { kind, name, spec } of wanted)
    await within(kind, name, () => kinds[kind].secrets?.of(spec).forEach(givenSecret))
}

/** What the file describes, and what it says nothing of. */
function afterwards(kind: ResourceKind, wanted: Wanted[], state: State): { name: string; spec: object }[] {
  const described = wanted.filter((one) => one.kind === kind)
  const names = new Set(described.map(({ name }) => name))
  return [...described, ...state.all(kind).filter(({ name }) => !names.has(name))]
}

const removal = (existing: Existing): Step => ({
  action: kinds[existing.kind].remove ? 'delete' : 'release',
  ...reference(existing),
  fields: [],
  existing,
  wanted: undefined,
})

const reference = ({ kind, name }: Existing) => ({ kind, name })

/** Before and after of every field that differs. Of secrets it is said that they do, and nothing else. */
async function differences(
  ctx: Context,
  tools: Tools,
  { kind, spec }: Wanted,
  existing: Existing | undefined,
): Promise<PlannedChange['fields']> {
  const { create, secrets } = kinds[kind]
  if (!existing && typeof create === 'string') throw new DomainError('invalid_request', create)
  const fields = differingFields(existing?.spec ?? {}, withoutSecrets(kind, spec))
  const isGiven = secrets !== undefined && (spec as Record<string, unknown>)[secrets.field] !== undefined
  const isNew = isGiven && (!existing || (await secrets.differ(ctx, existing.id, spec, tools)))
  return isNew ? [...fields, { field: secrets!.field, before: null, after: '(secret)' }] : fields
}
