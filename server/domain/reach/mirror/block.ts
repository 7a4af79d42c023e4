import { type AcceptanceCriterion, classesOfService, complexities, sizes } from '@signalbox/contract/story.ts'
import type { MirroredFields } from './three-way-merge.ts'

type Block = Pick<
  MirroredFields,
  'acceptanceCriteria' | 'demonstrate' | 'testPlan' | 'size' | 'complexity' | 'classOfService'
>

const heading = /^#{1,6}\s+(acceptance criteria|demonstrate|test plan|sizing)(?:\s*:)?\s*$/i
/** In these people write what they like, with headings of their own. */
const texts: readonly string[] = ['demonstrate', 'test plan']
const bullet = /^\s{0,3}(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?/

/** The part of an issue that says when it is done, as people read and edit it over there. */
export function blockOf(
  story: Omit<Block, 'acceptanceCriteria' | 'testPlan'> & {
    acceptanceCriteria: Pick<AcceptanceCriterion, 'text' | 'status'>[]
    testPlan?: string | null
  },
): string {
  const criteria = story.acceptanceCriteria.map(
    ({ text, status }) => `- [${status === 'passed' ? 'x' : ' '}] ${text.replaceAll('\n', '\n  ')}`,
  )
  return [
    '### Acceptance criteria',
    criteria.join('\n') || '_None yet._',
    '### Demonstrate',
    written(story.demonstrate),
    '### Test plan',
    written(story.testPlan),
    '### Sizing',
    [
      `- Size: ${story.size?.toUpperCase() ?? 'not sized'}`,
      `- Complexity: ${story.complexity ?? 'not rated'}`,
      `- Class of service: ${story.classOfService.replace('_', ' ')}`,
    ].join('\n'),
  ].join('\n\n')
}

/** Reads it, however it was edited; what is not understood is not there. */
export function readBlock(text: string): Block {
  const parts = sectionsOf(text)
  const sizing = (parts.get('sizing') ?? '').toLowerCase().replaceAll('_', ' ')
  const chosen = <Value extends string>(name: string, values: readonly Value[]): Value | null => {
    const said = new RegExp(`${name}\\W+([a-z ]+)`).exec(sizing)?.[1]?.trim().replaceAll(' ', '_')
    return values.find((value) => value === said) ?? null
  }
  return {
    acceptanceCriteria: criteriaIn(parts.get('acceptance criteria') ?? ''),
    demonstrate: read(parts.get('demonstrate')),
    testPlan: read(parts.get('test plan')),
    size: chosen('size', sizes),
    complexity: chosen('complexity', complexities),
    classOfService: chosen('class of service', classesOfService) ?? 'standard',
  }
}

function sectionsOf(text: string): Map<string, string> {
  const sections = new Map<string, string>()
  let name: string | null = null
  for (const line of text.split('\n')) {
    const found = heading.exec(line)?.[1]?.toLowerCase()
    if (found) name = found
    // A heading that a person added ends the section we look for.
    else if (/^#{1,6}\s/.test(line) && !(name && texts.includes(name))) name = null
    else if (name !== null) sections.set(name, `${sections.get(name) ?? ''}${line}\n`)
  }
  return sections
}

/** A text that has one of our headings in it gets it with a backslash, which Markdown does not show. */
const written = (text: string | null | undefined): string =>
  text
    ? text
        .split('\n')
        .map((line) => (heading.test(line.replace(/^\\+/, '')) ? `\\${line}` : line))
        .join('\n')
    : '_Nothing yet._'

const read = (text = ''): string | null =>
  plain(text)
    .split('\n')
    .map((line) => (line.startsWith('\\') && heading.test(line.replace(/^\\+/, '')) ? line.slice(1) : line))
    .join('\n') || null

/** What we write where nothing is said. */
const plain = (text: string) => (/^\s*_(None|Nothing) yet\._\s*$/.test(text) ? '' : text.trim())

function criteriaIn(text: string): string[] {
  const criteria: string[] = []
  for (const line of plain(text).split('\n')) {
    if (bullet.test(line)) criteria.push(line.replace(bullet, '').trim())
    else if (line.trim() && criteria.length > 0)
      criteria[criteria.length - 1] = `${criteria.at(-1)}\n${line.trim()}`
    else if (line.trim()) criteria.push(line.trim())
  }
  return criteria.filter(Boolean)
}
