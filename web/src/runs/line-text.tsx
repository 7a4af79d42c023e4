import { type ColouredPart, colouredParts, type Hue } from '@signalbox/contract/line-colours.ts'
import { Fragment } from 'react'
import { lineTones, toneOf } from './line-tone.ts'
import { cutAt } from './log-buffer.ts'

const hueClasses: Record<Hue, string> = {
  red: 'text-danger',
  green: 'text-ok',
  yellow: 'text-warn',
  blue: 'text-info',
  magenta: 'text-magenta',
  cyan: 'text-cyan',
  grey: 'text-muted',
}

/** The tone of a whole line. One that its tool has coloured has none, unless it is bad. */
export function toneClass(text: string, colours: string | undefined): string {
  const tone = toneOf(text)
  return colours && tone !== 'bad' ? '' : lineTones[tone]
}

/** A line of a log in the colours in which it was printed. What is searched for is marked, in the text's own colour. */
export function LineText({
  text,
  colours = '',
  sought = '',
}: {
  text: string
  colours?: string | undefined
  sought?: string
}) {
  if (colours === '' && sought === '') return text
  const parts = colouredParts(text, colours)
  let at = 0
  return cutAt(text, sought).map((piece, index) => {
    const from = at
    at += piece.length
    return index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one line never move
      <mark key={index} className="rounded-xs bg-warn-soft text-text outline outline-warn">
        {piece}
      </mark>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: likewise
      <Fragment key={index}>{between(parts, from, at).map(shown)}</Fragment>
    )
  })
}

const shown = ({ text, hue, bold }: ColouredPart, index: number) =>
  hue || bold ? (
    <span key={index} className={`${hue ? hueClasses[hue] : ''} ${bold ? 'font-semibold' : ''}`}>
      {text}
    </span>
  ) : (
    text
  )

/** What of the parts is between two letters of their line. */
function between(parts: readonly ColouredPart[], from: number, until: number): ColouredPart[] {
  let at = 0
  return parts.flatMap((part) => {
    const begin = at
    at += part.text.length
    const text = part.text.slice(Math.max(0, from - begin), Math.max(0, until - begin))
    return text === '' ? [] : [{ ...part, text }]
  })
}
