import type { ModelTool } from '@signalbox/contract/model-tools.ts'

export type Json = Record<string, unknown>

/** Of a request that is not allowed: what of it, why, and what can be done. */
export class NotAllowed extends Error {
  readonly field: string

  constructor(field: string, why: string) {
    super(`${field}: ${why}`)
    this.field = field
  }
}

/** What is known of the texts of a request, of which long ones are only shown in part. */
interface Texts {
  bytesOf(text: string): number
  bytesIn(json: string): number
}

/** How often a provider may use its own tools in one call: each time it reads everything again, and bills it again. */
export const mostToolUses = 5
/** Where a provider cannot be told how often: Anthropic's own end of the loop in which it calls remote servers. */
const mostUnboundedUses = 10

/**
 * One look through a request before it is passed on: what in it the bytes do not tell the size of, and whether it asks
 * for anything that no one has allowed.
 */
export class Look {
  readonly allowed: readonly ModelTool[]
  readonly #texts: Texts
  /** Pictures, whose tokens follow from their size and not from their bytes. */
  images = 0
  /** Bytes of pictures, which are no text. */
  imageBytes = 0
  /** Files whose text is not in the bytes: a page of a PDF is a few bytes, or thousands of words. */
  documents = 0
  /** Sound and film may have a price of their own. */
  hasSound = false
  /** Tools that the client executes and the provider describes, in words that are not in the bytes. */
  describedTools = 0
  /** Tools that wait until a later turn names them: their words count only then. */
  deferredBytes = 0
  /** How often the provider may go out and read everything again before it answers. */
  toolUses = 0
  maySearch = false

  constructor(allowed: readonly ModelTool[], texts: Texts) {
    this.allowed = allowed
    this.#texts = texts
  }

  needs(tool: ModelTool, field: string): void {
    if (!this.allowed.includes(tool))
      throw new NotAllowed(
        field,
        `the provider would reach the network on its own, which the team's policy does not allow. An owner or admin can add ${tool} to the policy's model tools (modelTools).`,
      )
  }

  image(data: unknown, mediaType: unknown, field: string): void {
    if (data !== null && !/^image\//.test(String(mediaType)))
      throw new NotAllowed(field, 'the media type must begin with image/.')
    this.images++
    if (typeof data === 'string') this.imageBytes += this.#texts.bytesOf(data)
  }

  deferred(tool: unknown): void {
    if ((tool as Json).defer_loading === true) this.deferredBytes += this.#texts.bytesIn(JSON.stringify(tool))
  }

  serverTool(hasMost: boolean): void {
    this.toolUses = Math.max(this.toolUses, hasMost ? mostToolUses : mostUnboundedUses)
  }
}

/** Looks at one field. What is null is as good as absent. */
export type Rule = (value: unknown, field: string, look: Look) => void

export const any: Rule = () => {}

export const one =
  (...values: unknown[]): Rule =>
  (value, field) => {
    if (!values.includes(value))
      throw new NotAllowed(
        field,
        `${text(value)} is not allowed: its cost has no bound or no price here. Leave it out, or use ${values.map(text).join(' or ')}.`,
      )
  }

/** Never, whatever a policy says. */
export const never =
  (why: string): Rule =>
  (_, field) => {
    throw new NotAllowed(field, why)
  }

export const whole =
  (least: number): Rule =>
  (value, field) => {
    if (!Number.isSafeInteger(value) || (value as number) < least)
      throw new NotAllowed(field, `it must be a whole number, ${least} or more.`)
  }

export const listOf =
  (rule: Rule): Rule =>
  (value, field, look) => {
    if (!Array.isArray(value)) throw new NotAllowed(field, 'it must be a list.')
    value.forEach((each, at) => {
      rule(each, `${field}[${at}]`, look)
    })
  }

export const textOr =
  (rule: Rule): Rule =>
  (value, field, look) => {
    if (typeof value !== 'string') rule(value, field, look)
  }

/** An object with these fields and no others. */
export const object =
  (rules: Record<string, Rule>): Rule =>
  (value, field, look) => {
    for (const [name, inner] of Object.entries(objectAt(value, field))) {
      if (inner === null || inner === undefined) continue
      const at = field ? `${field}.${name}` : name
      if (!Object.hasOwn(rules, name)) throw new NotAllowed(at, unknownField)
      rules[name]!(inner, at, look)
    }
  }

/** An object whose `type` says what else is in it. */
export const byType =
  (rules: Record<string, Rule>, untyped: Rule | null = null): Rule =>
  (value, field, look) => {
    const { type } = objectAt(value, field)
    if (type === undefined && untyped) return untyped(value, field, look)
    if (typeof type !== 'string' || !Object.hasOwn(rules, type))
      throw new NotAllowed(`${field}.type`, `${text(type)} is not allowed. ${unknownField}`)
    rules[type]!(value, field, look)
  }

export const unknownField =
  'this runner does not know what it costs or what it connects to, so it is not allowed. Turn it off in the agent, or upgrade the runner.'

export function objectAt(value: unknown, field: string): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new NotAllowed(field || 'body', 'it must be an object.')
  return value as Json
}

/** An address from which the provider would fetch a file, or the file itself, inline. */
export function checkInlineFile(
  address: unknown,
  field: string,
  look: Look,
): { data: string | null; mediaType: string | null } {
  const [, mediaType, data] = /^data:([^,;]{0,100})[^,]{0,100},(.*)$/s.exec(String(address)) ?? []
  if (data !== undefined) return { data, mediaType: mediaType! }
  look.needs('remote_files', field)
  if (!/^https?:\/\//.test(String(address)))
    throw new NotAllowed(field, 'it must begin with https:// or data:.')
  return { data: null, mediaType: null }
}

export const storedFile = never(
  'files that are stored at the provider are not allowed: they may be the operator’s own. Send the content inline.',
)
export const serverState = never(
  'what the provider has stored from earlier calls is not allowed: its cost is not in the request. Send the whole conversation.',
)

const text = (value: unknown) => String(JSON.stringify(value)).slice(0, 80)
