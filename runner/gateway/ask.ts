import type { ModelTool } from '@signalbox/contract/model-tools.ts'
import { describedToolTokens, mostPerImage, overheadTokens, refuseUnbounded } from './bounds.ts'
import type { Api, Format } from './formats/format.ts'
import { type Json, Look, NotAllowed, objectAt } from './formats/inspect-request.ts'
import { type Counted, type KnownInput, type Spine, turnBoundaries } from './known-input.ts'
import { LongTexts } from './long-texts.ts'
import { isOwn, isSpecial, longestAnswerOf, type Most, type Tariff, windowOf } from './prices.ts'

/** What an agent asks of a model, looked through and ready to be passed on. Its bytes are held once. */
export interface Ask {
  readonly tariff: Tariff
  readonly model: string
  /** Tokens of one answer: what was asked for, or what is asked for in place of nothing. */
  readonly wanted: number
  /** The shortest answer that is of any use. */
  readonly least: number
  /** The most that it uses with answers of that length. */
  most(answer: number, known: KnownInput): Most
  /** Whether its provider may read far more than the request itself: a file, or what it looks up. */
  readonly bringsMore: boolean
  /** Null: what its provider counts for it says nothing about the next one. */
  readonly spine: Spine | null
  counted(tokens: number): Counted
  /** To be taken once, in pieces. Null: nothing is answered, only counted. */
  body(answer: number | null): Buffer[]
  /** Its bytes have left this process, and are not needed any more. */
  sent(): void
}

interface Context {
  format: Format
  /** Where the path names the model. */
  model: string | null
  allowed: readonly ModelTool[]
  isOfficial: boolean
  /** What is only counted has no tier. */
  isBilled: boolean
  prices: Tariff['own']
}

/** Throws `NotAllowed` for what is not allowed. */
export function parseModelCall(
  bytes: Buffer,
  { format, model: inPath, allowed, isOfficial, isBilled, prices }: Context,
): Ask {
  const texts = new LongTexts(bytes)
  const body = parsed(texts.rest)
  const look = new Look(allowed, texts)
  format.look(body, look)
  const model = modelOf(inPath ?? body.model)
  const tariff: Tariff = { api: format.api, models: [model], own: prices, at: new Date() }
  if (isSpecial(model) && !isOwn(tariff))
    throw new NotAllowed(
      'model',
      `${model} answers in more than text, or searches on its own, and is not priced in tokens alone. Name another model.`,
    )
  const settled = { ...body, ...format.settled(body, { isOfficial: isOfficial && isBilled, look }) }
  const { whole, replaced, textBytes, cacheWrites, ...written } = writtenOf(settled, format, model, texts)
  // From here on the parsed request is not held any more: these few fields are.
  const few = Object.fromEntries(replaced.map((name) => [name, settled[name]]))
  let passing: LongTexts | null = null
  let unsent: { whole: typeof whole; texts: LongTexts } | null = { whole, texts }
  const answers = format.answers(body)
  const wanted = format.most(body) ?? longestAnswerOf(format.api, model)
  const least = Math.min(wanted, format.least(body))
  const { images, imageBytes, documents, describedTools, deferredBytes } = look
  const { toolUses, hasSound, maySearch } = look
  const spine = toolUses > 0 || format.forgets(body) ? null : written.spine
  if (documents > 0) refuseUnbounded(tariff)
  const inTokens = (bytes: number, pictures: number) => bytes + pictures * mostPerImage[format.api]
  // What OpenAI's small models count for a picture is a price, and not what they read: it is not within what they can.
  const cap = windowOf(tariff) + (format.api === 'openai' ? inTokens(0, images) : 0)
  const inBytes =
    documents > 0
      ? Number.POSITIVE_INFINITY
      : inTokens(textBytes - imageBytes, images) + overheadTokens + describedTools * describedToolTokens

  function input(known: KnownInput): number {
    if (toolUses > 0) return cap * (toolUses + 1)
    const found = spine && known.find(spine)
    // A file among what is new is bounded only by what the model can read.
    if (!found || found.counted.documents !== documents) return Math.min(inBytes, cap)
    const { counted, newBytes } = found
    const added = inTokens(newBytes - (imageBytes - counted.imageBytes), images - counted.images)
    return Math.min(inBytes, counted.tokens + added + deferredBytes, cap)
  }

  return {
    tariff,
    model,
    wanted,
    least,
    bringsMore: documents > 0 || toolUses > 0,
    spine,
    most: (answer, known) => ({
      input: input(known),
      output: answer * answers,
      cacheWrites,
      hasSound,
      searches: maySearch ? toolUses : 0,
    }),
    counted: (tokens) => ({ tokens, images, imageBytes, documents }),
    body: (answer) => {
      const { whole, texts } = unsent!
      unsent = null
      passing = texts
      return texts.restored(whole(answer === null ? few : format.withMost(few, answer)))
    },
    sent: () => {
      passing?.free()
      passing = null
    },
  }
}

function parsed(text: string): Json {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    throw new NotAllowed('body', 'it is not JSON.')
  }
  return objectAt(body, 'body')
}

function modelOf(name: unknown): string {
  if (typeof name !== 'string' || !/^[\w.:/@-]{1,200}$/.test(name))
    throw new NotAllowed('model', 'it must be the name of a model.')
  return name
}

/** A request as text, once, with room at its front for what is decided last. */
function writtenOf(body: Json, format: Format, model: string, texts: LongTexts) {
  const replaced = Object.keys(format.withMost(body, 1))
  const { [format.turns]: turns, ...others } = body
  for (const name of replaced) delete others[name]
  const list = Array.isArray(turns) ? turns.map((turn) => JSON.stringify(turn)) : null
  const conversation = list ? `[${list.join(',')}]` : JSON.stringify(turns)
  const rest = JSON.stringify(others)
  const text = rest === '{}' ? '' : `,${rest.slice(1, -1)}`
  const said = conversation === undefined ? '' : `,${JSON.stringify(format.turns)}:${conversation}`
  const fixed = JSON.stringify(Object.fromEntries(replaced.map((name) => [name, body[name] ?? null])))
  return {
    replaced,
    textBytes: texts.bytesIn(text) + texts.bytesIn(said) + texts.bytesIn(fixed),
    cacheWrites: cacheWritesOf(format.api, text + said),
    spine: list
      ? turnBoundaries(`${format.name} ${model} ${unlimited(fixed)} ${rest}`, turns as unknown[], {
          bytes: list.map((each) => texts.bytesIn(each)),
          texts,
        })
      : null,
    whole(front: Json): string {
      const first = JSON.stringify(front)
      if (first === '{}') return `{${`${text}${said}`.slice(1)}}`
      return `${first.slice(0, -1)}${text}${said}}`
    },
  }
}

/** How long an answer may be says nothing about what is asked. */
const unlimited = (fields: string) =>
  fields.replaceAll(/"(max_\w+|maxOutputTokens|budget_tokens)":(\d+|null),?/g, '')

/** Keys stand between bare quotes; in a text they would be escaped. */
function cacheWritesOf(api: Api, text: string): Most['cacheWrites'] {
  if (api === 'google') return 'none'
  if (api === 'openai') return 'short'
  if (text.includes('"ttl":"1h"')) return 'long'
  return text.includes('"cache_control":') ? 'short' : 'none'
}
