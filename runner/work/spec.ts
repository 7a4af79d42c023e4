import { readFile } from 'node:fs/promises'
import type { Order, PinnedSpec } from '@signalbox/contract/runner/messages.ts'
import { placeSpec } from '../acceptance/place.ts'
import { proveRed } from '../acceptance/prove.ts'
import { readSpec } from '../acceptance/read.ts'
import { packSpec, placedFiles, type Spec, SpecError, specFolder, unpackSpec } from '../acceptance/spec.ts'
import type { Worktree } from '../git/git.ts'
import type { OrderContext } from '../orders/order-context.ts'
import { withGateBox } from './gate-box.ts'
import { gatesOf } from './gates-of.ts'
import { againPrompt, specPrompt } from './prompts.ts'
import type { Site } from './site.ts'
import { type AgentAtWork, type Beside, failureOf } from './turn.ts'
import type { Workshop } from './workshop.ts'

/**
 * Has the agent write the acceptance spec, and sees it fail on the base before anything is implemented. `ended`: a
 * question was asked, or there is no spec, and the order is over.
 */
export async function writeSpec(
  shop: Workshop,
  order: Order,
  context: OrderContext,
  agent: AgentAtWork,
  site: Site,
  worktree: Worktree,
  beside: Beside[] = [],
): Promise<PinnedSpec | 'ended'> {
  const folder = specFolder(order.story.key)
  let why = ''
  for (const isLast of [false, true]) {
    context.phase('writing the acceptance spec')
    const places = beside.map((other) => ({ name: other.name, folder: agent.inside(other.worktree) }))
    const prompt = specPrompt(order, { ...agent.place, specFolder: folder, beside: places })
    const { end, question, out } = await agent.turn(site.store, worktree, {
      purpose: 'spec',
      prompt: why ? againPrompt(prompt, why) : prompt,
      readOnly: true,
      commit: site.base,
      beside,
    })
    if (question) {
      context.report({ ...question, type: 'question_asked', work: null })
      return 'ended'
    }
    if (end.ended !== 'normally') throw failureOf(end)
    const tried = await trySpec(shop, order, context, sitesOf(order, site, beside), out, folder)
    if ('spec' in tried) {
      const files = await context.keep(Buffer.from(packSpec(tried.spec).text))
      const { command, repository } = tried.spec
      const pinned = { files, folder, command, ...(repository === undefined ? {} : { repository }) }
      context.report({ type: 'spec_pinned', spec: pinned, summary: tried.words })
      return pinned
    }
    why = tried.why
    context.print(isLast ? why : `${why} Asked once more.`)
    await worktree.reset(site.base)
    for (const other of beside) await other.worktree.reset(other.commit)
  }
  context.report({ type: 'spec_failed', error: why })
  return 'ended'
}

/** Where a spec may be: in any repository of the order. */
const sitesOf = ({ repository }: Order, site: Site, beside: Beside[]) =>
  new Map<string, Pick<Site, 'store' | 'base'>>([
    [repository.name, site],
    ...beside.map(({ name, store, commit }) => [name, { store, base: commit }] as const),
  ])

async function trySpec(
  shop: Workshop,
  order: Order,
  context: OrderContext,
  sites: ReadonlyMap<string, Pick<Site, 'store' | 'base'>>,
  out: string,
  folder: string,
): Promise<{ spec: Spec; words: string } | { why: string }> {
  let spec: Spec
  try {
    spec = readSpec(out)
  } catch (error) {
    if (error instanceof SpecError) return { why: error.message }
    throw error
  }
  const named = spec.repository ?? order.repository.name
  const site = sites.get(named)
  if (!site)
    return { why: `acceptance/manifest.json: ${named} is not one of the repositories of this story.` }
  const { store, base } = site
  context.phase('seeing the spec fail')
  const plan = await gatesOf(store, base)
  const red = await withGateBox(shop, order, context, (room) =>
    proveRed({ store, commit: base, folder, spec, plan, room }),
  )
  context.cancelled.throwIfAborted()
  context.print(red.words)
  return red.right ? { spec, words: red.words } : { why: red.words }
}

/** The pinned spec with its files; null where there is none. */
export async function pinnedSpec(context: OrderContext, pinned: PinnedSpec | null): Promise<Spec | null> {
  if (!pinned) return null
  const text = await readFile(await context.fetchFile(pinned.files), 'utf8')
  return { command: pinned.command, files: unpackSpec(text, pinned.files) }
}

/** Puts the spec where it belongs, as it was pinned. What the diff guard is to expect there comes back. */
export async function putSpec(
  worktree: Worktree,
  context: OrderContext,
  pinned: PinnedSpec | null,
): Promise<ReadonlyMap<string, Buffer>> {
  const spec = await pinnedSpec(context, pinned)
  if (!spec || !pinned) return new Map()
  placeSpec(worktree.folder, pinned.folder, spec)
  return placedFiles(pinned.folder, spec)
}
