import type { Resources } from '@signalbox/contract/manage/configuration.ts'
import { type ResourceKind, resourceKinds } from '@signalbox/contract/resource-kinds.ts'
import type { Context } from '../../context.ts'
import { listMarks } from '../../record/managed/list-marks.ts'
import type { Marked } from '../../record/managed/mark.ts'
import { kinds } from '../resources/index.ts'
import type { Found, Names, Tools } from '../resources/kind.ts'

/** A resource as it is in the workspace, under its name in the file. */
export interface Existing {
  kind: ResourceKind
  name: string
  id: string
  spec: object
  managed: boolean
  unlockedAt: string | null
  /** What the file said of it when it was applied last, without secrets. Null: it is not known. */
  applied: object | null
  address?: string | null
}

/** Everything that a file can manage, as it is now. */
export class State implements Names {
  readonly #byName = new Map<string, Existing>()
  readonly #byId = new Map<string, Existing>()
  readonly #left = new Map<string, Marked>()

  add(existing: Existing): void {
    this.#byName.set(`${existing.kind} ${existing.name}`, existing)
    this.#byId.set(`${existing.kind} ${existing.id}`, existing)
  }

  /** The mark of something that is gone. */
  addLeft(mark: Marked): void {
    this.#left.set(`${mark.kind} ${mark.name}`, mark)
  }

  allLeft(): Marked[] {
    return [...this.#left.values()]
  }

  findLeft(kind: ResourceKind, name: string): Marked | undefined {
    return this.#left.get(`${kind} ${name}`)
  }

  find(kind: ResourceKind, name: string): Existing | undefined {
    return this.#byName.get(`${kind} ${name}`)
  }

  all(kind?: ResourceKind): Existing[] {
    const all = [...this.#byName.values()]
    return kind ? all.filter((one) => one.kind === kind) : all
  }

  /** Something that is not there any more has no name in a file. */
  nameOf(kind: ResourceKind, id: string): string {
    return this.#byId.get(`${kind} ${id}`)?.name ?? id
  }

  idOf(kind: ResourceKind, name: string): string {
    const found = this.find(kind, name)
    if (!found) throw new Error(`There is no ${kind} ${name} yet.`)
    return found.id
  }
}

/**
 * Reads the workspace. What is marked has the name of its mark; what is not has the name under which the file describes
 * the same, or else one made from what it is called.
 */
export async function readState(ctx: Context, tools: Tools, given: Resources = {}): Promise<State> {
  const marks = await listMarks(ctx)
  const state = new State()
  for (const kind of resourceKinds) {
    const marked = new Map(marks.filter((mark) => mark.kind === kind).map((mark) => [mark.id, mark]))
    const found = (await kinds[kind].list(ctx, state, tools)).toSorted((a, b) => (a.id < b.id ? -1 : 1))
    for (const mark of marked.values()) if (!found.some(({ id }) => id === mark.id)) state.addLeft(mark)
    const taken = new Set(found.flatMap(({ id }) => marked.get(id)?.name ?? []))
    for (const one of found) {
      const mark = marked.get(one.id)
      const name = mark?.name ?? nameFor(kind, one, given[kind] ?? {}, taken)
      taken.add(name)
      state.add({
        ...{ kind, name, id: one.id, spec: one.spec },
        ...{ managed: mark !== undefined, unlockedAt: mark?.unlockedAt ?? null },
        applied: mark?.applied ?? null,
        ...(one.address === undefined ? {} : { address: one.address }),
      })
    }
  }
  return state
}

function nameFor(
  kind: ResourceKind,
  { suggested, spec }: Found<object>,
  given: Record<string, object>,
  taken: ReadonlySet<string>,
): string {
  const meant = Object.entries(given).find(([name, one]) => !taken.has(name) && kinds[kind].isSame(one, spec))
  if (meant) return meant[0]
  const base = suggested || 'unnamed'
  const isFree = (name: string) => !taken.has(name)
  if (isFree(base)) return base
  for (let count = 2; ; count += 1) if (isFree(`${base}-${count}`)) return `${base}-${count}`
}
