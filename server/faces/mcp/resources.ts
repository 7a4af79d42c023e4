import { decisionKey, runKey, storyKey } from '@signalbox/contract/keys.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import type { TSchema } from 'typebox'
import { DomainError } from '../../domain/errors.ts'
import { listDecisions } from '../../domain/work/decisions/list.ts'
import { readRun } from '../../domain/work/runs/read.ts'
import { search } from '../../domain/work/search/search.ts'
import { viewDecision, writtenByOthers } from './calls/decision-view.ts'
import { type Call, patternOf } from './calls/tool.ts'
import { resultOf } from './result.ts'
import { getStory, storyFor } from './tools/get-story.ts'

/** Something that people can attach to a conversation by its address. Tools give the same, so it is never the only way. */
interface Template {
  name: string
  title: string
  uriTemplate: string
  description: string
  noun: 'story' | 'decision' | 'run'
  address: RegExp
  outside: string[]
  read(call: Call, key: string): Promise<object>
}

const within = (schema: TSchema) => patternOf(schema).slice(1, -1)

export const templates: Template[] = [
  {
    name: 'story',
    title: 'Story',
    uriTemplate: 'story://{key}',
    description: 'A story as get_story returns it, like story://WEB-12',
    noun: 'story',
    address: new RegExp(`^story://(${within(storyKey)})$`),
    outside: getStory.outside,
    read: storyFor,
  },
  {
    name: 'decision',
    title: 'Decision',
    uriTemplate: 'decision://{key}',
    description: 'A decision as get_decision returns it, like decision://dec-k3x9',
    noun: 'decision',
    address: new RegExp(`^decision://(${within(decisionKey)})$`),
    outside: writtenByOthers,
    read: viewDecision,
  },
  {
    name: 'evidence',
    title: 'Evidence of a run',
    uriTemplate: 'run://{key}/evidence',
    description: 'Gates, criteria, changed files and demonstration of a run, like run://run-7k2q/evidence',
    noun: 'run',
    address: new RegExp(`^run://(${within(runKey)})/evidence$`),
    outside: ['evidence'],
    read: async ({ ctx }, key) => {
      const { evidence, status, stage } = fromJson(await readRun(ctx, key))
      return { run: key, status, stage, evidence }
    },
  },
]

const mimeType = 'application/json'
const mostListed = 20

export const listTemplates = () =>
  templates.map(({ name, title, uriTemplate, description }) => ({
    name,
    title,
    uriTemplate,
    description,
    mimeType,
  }))

/** What waits for a person; everything else is found by its key. */
export async function listResources({ ctx }: Call) {
  const { data } = await listDecisions(ctx, { status: 'pending' }, { limit: mostListed, after: null })
  return data.map(fromJson).map(({ key, kind }) => ({
    uri: `decision://${key}`,
    name: key,
    title: `${key}: ${kind.replaceAll('_', ' ')}`,
    mimeType,
  }))
}

/** Undefined: there is none at that address. */
export async function readResource(call: Call, uri: string) {
  for (const { address, read, outside } of templates) {
    const key = address.exec(uri)?.[1]
    if (!key) continue
    try {
      const { structuredContent } = resultOf(await read(call, key), outside)
      return { uri, mimeType, text: JSON.stringify(structuredContent) }
    } catch (error) {
      if (error instanceof DomainError && error.code.endsWith('_not_found')) return undefined
      throw error
    }
  }
  return undefined
}

/** Keys that begin like this, or whose titles hold it. */
export async function completeKey({ ctx }: Call, noun: string, begun: string): Promise<string[]> {
  const found = await search(ctx, begun.slice(0, 100).replaceAll('\0', '').toWellFormed())
  return found.filter((one) => one.noun === noun).map(({ key }) => key)
}
