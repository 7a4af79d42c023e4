import { dictionary } from '@signalbox/contract/dictionary.ts'
import { type Format, leastAnswer } from './format.ts'
import {
  any,
  checkInlineFile,
  type Json,
  type Look,
  listOf,
  never,
  object,
  objectAt,
  one,
  type Rule,
  serverState,
  storedFile,
  whole,
} from './inspect-request.ts'

const inline: Rule = (value, field, look) => {
  const { mimeType, data } = objectAt(value, field)
  if (/^image\//.test(String(mimeType))) return look.image(data ?? '', mimeType, field)
  if (/^text\//.test(String(mimeType))) return
  look.documents++
  look.hasSound = /^(audio|video)\//.test(String(mimeType)) || look.hasSound
}

const remote: Rule = (value, field, look) => {
  const { fileUri } = objectAt(value, field)
  checkInlineFile(fileUri, `${field}.fileUri`, look)
  if (/^https?:\/\/[^/]*googleapis\.com(:\d+)?(\/|$)/i.test(String(fileUri)))
    storedFile(fileUri, `${field}.fileUri`, look)
  look.documents++
  look.hasSound = true
}

const part: Rule = (value, field, look) => partFields(value, field, look)

const partFields = object({
  text: any,
  thought: any,
  thoughtSignature: any,
  functionCall: any,
  functionResponse: object({
    id: any,
    name: any,
    response: any,
    willContinue: any,
    scheduling: any,
    parts: listOf(part),
  }),
  inlineData: inline,
  fileData: remote,
  videoMetadata: any,
  mediaResolution: any,
})

const turn = object({ role: any, parts: listOf(part) })

const unpriced = never('what it costs is not in the bill of the call, so it is not allowed.')

/** Google takes its fields in two spellings. One is allowed: what is said twice could mean two things. */
const fields: Record<string, Rule> = dictionary({
  contents: (value, field, look) => (Array.isArray(value) ? listOf(turn) : turn)(value, field, look),
  systemInstruction: turn,
  // What searches, reads pages or runs code at the provider has a price that the bill of a call does not tell.
  tools: listOf(
    object({
      functionDeclarations: any,
      googleSearch: unpriced,
      googleSearchRetrieval: unpriced,
      googleMaps: unpriced,
      urlContext: unpriced,
      codeExecution: unpriced,
      fileSearch: storedFile,
    }),
  ),
  toolConfig: object({ functionCallingConfig: any }),
  safetySettings: any,
  labels: any,
  cachedContent: serverState,
  generationConfig: object({
    temperature: any,
    topP: any,
    topK: any,
    candidateCount: whole(1),
    maxOutputTokens: whole(1),
    stopSequences: any,
    responseMimeType: any,
    responseSchema: any,
    responseJsonSchema: any,
    presencePenalty: any,
    frequencyPenalty: any,
    seed: any,
    thinkingConfig: any,
    mediaResolution: any,
    responseLogprobs: any,
    logprobs: any,
    responseModalities: listOf(one('TEXT', 'text')),
  }),
})

const asked = object(fields)
/** Counting tokens may wrap the request that it counts. */
const counted = object({ ...fields, generateContentRequest: object({ ...fields, model: any }) })

const settingsOf = ({ generationConfig }: Json) => (generationConfig ?? {}) as Json

export const content: Format = {
  name: 'content',
  api: 'google',
  look: (body: Json, look: Look) => asked(body, '', look),
  turns: 'contents',
  most: (body) => numberOf(settingsOf(body).maxOutputTokens),
  least: () => leastAnswer,
  answers: (body) => numberOf(settingsOf(body).candidateCount) ?? 1,
  withMost: (body, most) => ({ generationConfig: { ...settingsOf(body), maxOutputTokens: most } }),
  forgets: () => false,
  settled: () => ({}),
}

/** What `countTokens` takes. */
export const counting: Format = { ...content, look: (body, look) => counted(body, '', look) }

const numberOf = (value: unknown) => (typeof value === 'number' ? value : null)
