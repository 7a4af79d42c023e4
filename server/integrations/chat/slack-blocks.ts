import type { ChatMessage } from '../../domain/ports/chat.ts'
import { escaped, mrkdwnOf, shortened } from './mrkdwn.ts'

/** Slack's own limits of a block. */
const mostText = 3_000
const mostTitle = 150
const mostLabel = 75
const mostUrl = 3_000

/**
 * A message as Slack draws it. What people, agents and alerts wrote can neither mention anyone nor become a link: it is
 * plain text, or markup limited to quotes, code, lists and emphasis.
 */
export function blocksOf({ title, body, buttons, note, links, footer }: ChatMessage): object[] {
  const explained = buttons.flatMap((button) =>
    button.explained ? [`${button.label}: ${button.explained}`] : [],
  )
  const pressed = buttons.map((button) => ({
    type: 'button',
    action_id: button.id,
    text: plain(button.label, mostLabel),
    ...(button.isRecommended ? { style: 'primary' } : {}),
  }))
  const leading = links
    // A longer one would keep the whole message from being posted.
    .filter(({ url }) => url.length <= mostUrl)
    .map(({ label, url }, place) => ({
      type: 'button',
      action_id: `link-${place}`,
      text: plain(label, mostLabel),
      url,
    }))
  const actions = [...pressed, ...leading]
  return [
    { type: 'header', text: plain(title, mostTitle) },
    ...body.flatMap(paragraph),
    ...section(explained.join('\n')),
    ...(note && pressed.length > 0
      ? [
          {
            type: 'input',
            block_id: 'note',
            optional: true,
            label: plain(note, mostLabel),
            element: { type: 'plain_text_input', action_id: 'note', multiline: true, max_length: 2_000 },
          },
        ]
      : []),
    ...(actions.length > 0 ? [{ type: 'actions', block_id: 'actions', elements: actions.slice(0, 25) }] : []),
    ...(footer ? [{ type: 'context', elements: [plain(footer, mostText)] }] : []),
  ].slice(0, 50)
}

function paragraph(text: ChatMessage['body'][number]): object[] {
  if (typeof text === 'string') return section(text)
  return 'markdown' in text ? drawn(text.markdown) : linkedSections(text)
}

/** As many blocks as the links take: one that is cut within a link would show its address. */
function linkedSections({ heading, linked }: { heading: string; linked: { text: string; url: string }[] }) {
  const blocks: string[] = [`*${escaped(heading)}*`]
  for (const { text, url } of linked) {
    const line = `• <${url}|${linkText(text)}>`
    const last = blocks.at(-1)!
    if (last.length + 1 + line.length <= mostText) blocks[blocks.length - 1] = `${last}\n${line}`
    else if (line.length <= mostText) blocks.push(line)
  }
  return blocks.map((text) => ({ type: 'section', text: { type: 'mrkdwn', text, verbatim: true } }))
}

/** Within a link, a bar would end its address a second time. */
const linkText = (text: string) => shortened(escaped(text.replaceAll('|', '¦')), 500)

const section = (text: string): object[] =>
  text.trim() === '' ? [] : [{ type: 'section', text: plain(text, mostText) }]

/** Verbatim: Slack makes no links and no mentions of what merely looks like one. */
function drawn(markdown: string): object[] {
  const text = shortened(mrkdwnOf(markdown), mostText)
  return text.trim() === '' ? [] : [{ type: 'section', text: { type: 'mrkdwn', text, verbatim: true } }]
}

const plain = (text: string, most: number) => ({
  type: 'plain_text',
  text: cut(text, most) || ' ',
  emoji: false,
})

const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
