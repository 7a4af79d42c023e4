import { createHash } from 'node:crypto'
import type { LongTexts } from './long-texts.ts'

/** A conversation up to each of its turns, as names that only the same conversation has, with the bytes that follow. */
export interface Spine {
  /** Of what stands before the first turn, then up to each turn. */
  names: string[]
  /** Of each turn. */
  bytes: number[]
}

/** How many conversations are remembered: an agent, its helpers and where they went on from. */
const mostKept = 256
/** What a provider puts between two turns, in tokens at most. */
const perTurn = 16
/** Claude Code marks each of its requests with a line that differs from call to call. */
const mark = /x-anthropic-billing-header:[^"\\]{0,480}/
const longestMark = 512

/** What is known of a conversation, and what of it was not text. */
export interface Counted {
  tokens: number
  images: number
  imageBytes: number
  documents: number
}

/**
 * What providers have counted for what an agent has sent before. A coding agent sends its whole conversation with each
 * call, and a little more: what was counted once is not more the next time, so that only what is new has to be bounded
 * by its bytes. Without this a long conversation would be held to cost four times what it does.
 */
export class KnownInput {
  readonly #counted = new Map<string, Counted>()

  learn({ names }: Spine, counted: Counted): void {
    const name = names.at(-1)!
    this.#counted.delete(name)
    this.#counted.set(name, counted)
    if (this.#counted.size > mostKept) this.#counted.delete(this.#counted.keys().next().value!)
  }

  /** The longest beginning that has been counted, and the bytes of what follows; null: nothing of it has been. */
  find({ names, bytes }: Spine): { counted: Counted; newBytes: number } | null {
    for (let at = names.length - 1; at >= 0; at--) {
      const counted = this.#counted.get(names[at]!)
      if (!counted) continue
      return { counted, newBytes: bytes.slice(at).reduce((sum, each) => sum + each + perTurn, longestMark) }
    }
    return null
  }
}

/** Where a conversation may be cut: after each turn. Marks of what is to be cached move from call to call, and cost no tokens. */
export function turnBoundaries(
  rest: string,
  turns: readonly unknown[],
  { bytes, texts }: { bytes: number[]; texts: LongTexts },
): Spine {
  const names = [nameOf('', rest, texts)]
  for (const turn of turns) names.push(nameOf(names.at(-1)!, JSON.stringify(plain(turn)), texts))
  return { names, bytes }
}

const nameOf = (before: string, json: string, texts: LongTexts) =>
  createHash('sha256')
    .update(before)
    .update(texts.named(json.replaceAll(/,?"cache_control":\{[^{}]*\}/g, '').replace(mark, ''), mark))
    .digest('base64')

/** A single text part is the same as its text. */
function plain(turn: unknown): unknown {
  const { content, ...others } = (turn ?? {}) as { content?: unknown }
  if (!Array.isArray(content) || content.length !== 1) return turn
  const { type, text, cache_control: _, ...more } = content[0] as Record<string, unknown>
  const isText = type === 'text' && typeof text === 'string' && Object.keys(more).length === 0
  return isText ? { ...others, content: text } : turn
}
