import type { ChatMessage } from '../../domain/ports/chat.ts'

/** Slack's own limits of a block. */
const mostText = 3_000
const mostTitle = 150
const mostLabel = 75

/**
 * A message as Slack draws it. What people, agents and alerts wrote stands in it as plain text: it can neither mention
 * anybody nor become a link.
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
  const leading = links.map(({ label, url }, place) => ({
    type: 'button',
    action_id: `link-${place}`,
    text: plain(label, mostLabel),
    url,
  }))
  const actions = [...pressed, ...leading]
  return [
    { type: 'header', text: plain(title, mostTitle) },
    ...body.filter((text) => text.trim() !== '').map((text) => section(text)),
    ...(explained.length > 0 ? [section(explained.join('\n'))] : []),
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

const section = (text: string) => ({ type: 'section', text: plain(text, mostText) })

const plain = (text: string, most: number) => ({
  type: 'plain_text',
  text: cut(text, most) || ' ',
  emoji: false,
})

const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`

/** For the fields in which Slack reads markup. */
export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
