import type { NightReport, Sentence, Target } from '@signalbox/contract/app/night-report.ts'
import type { ChatMessage } from '../../ports/chat.ts'

/** Where a sentence leads, below the address of the workspace. */
function pathOf({ type, id }: Target, { from, until }: Pick<NightReport, 'from' | 'until'>): string {
  const query = (search: Record<string, string>) => {
    const given = Object.entries(search).filter(([, value]) => value !== '')
    return given.length > 0 ? `?${new URLSearchParams(given)}` : ''
  }
  switch (type) {
    case 'run':
    case 'decision':
    case 'incident':
      return `${type}s/${id}`
    case 'story':
      return `stories/${id}`
    case 'connection':
    case 'webhook':
      return `settings/${type}s/${id}`
    case 'source':
      return 'services'
    case 'runners':
      return 'settings/runners'
    case 'insights':
      return `insights${query({ range: '7', team: id })}`
    case 'runs':
    case 'inbox':
    case 'incidents':
      return `${type}${query({ status: id })}`
    case 'audit':
      return `audit${query({ event: id, from, to: until })}`
  }
}

interface Part {
  heading: string
  /** A line without an address of its own, before the sentences. */
  lead: string | null
  sentences: { text: string; url: string }[]
}

/** The report as headings and sentences, each with its address: mail and chat show the same. */
export function partsOf(report: NightReport, workspaceUrl: string): Part[] {
  const { done, waiting, spent, nearly } = report
  const linked = ({ text, target }: Sentence) => ({ text, url: `${workspaceUrl}/${pathOf(target, report)}` })
  const part = (
    heading: string,
    sentences: Sentence[],
    more: Sentence | null,
    lead: string | null = null,
  ) => ({
    heading,
    lead,
    sentences: [...sentences, ...(more ? [more] : [])].map(linked),
  })
  const answers = waiting.sentences.map((one) => ({
    ...one,
    text: `${one.text}. Recommended: ${one.recommended}`,
  }))
  return [
    part('Waiting for you', answers, waiting.more, shortestPath(waiting.shortest)),
    part('Done', done.sentences, done.more),
    part('Nearly went wrong', nearly.sentences, nearly.more),
    part('Spent', spent.sentences, spent.more),
  ].filter(({ sentences }) => sentences.length > 0)
}

/** Which answers come first, in words. */
const shortestPath = (shortest: NightReport['waiting']['shortest']): string | null =>
  shortest &&
  (shortest.answers === 1
    ? `The first answer unblocks ${shortest.unblocks} of ${shortest.of}.`
    : `The first ${shortest.answers} answers unblock ${shortest.unblocks} of ${shortest.of}.`)

/** What a notification says of it. */
export function summaryOf({ done, waiting, nearly }: NightReport): string {
  const all = ({ sentences, more }: { sentences: unknown[]; more: unknown }) =>
    `${sentences.length}${more ? ' or more' : ''}`
  return [`${all(waiting)} waiting for you`, `${all(done)} done`, `${all(nearly)} nearly went wrong`].join(
    ', ',
  )
}

export const titleOf = (morning: string): string => `Night shift report of ${morning}`

/** For a mail: plain text, each address on a line of its own. */
export const textOf = (parts: readonly Part[]): string =>
  parts
    .map(({ heading, lead, sentences }) =>
      [
        heading.toUpperCase(),
        ...(lead ? [lead] : []),
        ...sentences.map(({ text, url }) => `- ${text}\n  ${url}`),
      ].join('\n'),
    )
    .join('\n\n')

/** For a chat tool, which draws each sentence as a link. */
export const messageOf = (
  title: string,
  parts: readonly Part[],
  url: string,
  footer: string,
): ChatMessage => ({
  title,
  body: parts.flatMap(({ heading, lead, sentences }) => [
    { heading, linked: sentences },
    ...(lead ? [lead] : []),
  ]),
  buttons: [],
  note: null,
  links: [{ label: 'Open report', url }],
  footer,
})
