import { type AcceptanceCriterion, classesOfService, complexities, sizes } from '@signalbox/contract/story.ts'
import type { Said } from './said.ts'

type Block = Pick<Said, 'acceptanceCriteria' | 'demonstrate' | 'size' | 'complexity' | 'classOfService'>

const heading = /^#{1,6}\s+(acceptance criteria|demonstrate|sizing)\s*:?\s*$/i
const bullet = /^\s{0,3}(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?/

/** The part of an issue that says when it is done, as people read and edit it over there. */
export function blockOf(
  story: Omit<Block, 'acceptanceCriteria'> & {
    acceptanceCriteria: Pick<AcceptanceCriterion, 'text' | 'status'>[]
  },
): string {
  const criteria = story.acceptanceCriteria.map(
    ({ text, status }) => `- [${status === 'passed' ? 'x' : ' '}] ${text.replaceAll('\n', '\n  ')}`,
  )
  return [
    '### Acceptance criteria',
    criteria.join('\n') || '_None yet._',
    '### Demonstrate',
    story.demonstrate ?? '_Nothing yet._',
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
    demonstrate: plain(parts.get('demonstrate') ?? '') || null,
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
    // Somebody's own heading ends what we look for.
    else if (/^#{1,6}\s/.test(line) && name !== 'demonstrate') name = null
    else if (name !== null) sections.set(name, `${sections.get(name) ?? ''}${line}\n`)
  }
  return sections
}

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
