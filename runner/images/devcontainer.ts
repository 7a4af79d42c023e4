import { dictionary } from '@signalbox/contract/dictionary.ts'
import { type ImageName, imageIn } from '@signalbox/contract/image.ts'

/** What a `devcontainer.json` asks for, as far as it is followed; `ignored` are its fields that are not. */
export interface Devcontainer {
  image: ImageName
  environment: Record<string, string>
  ignored: string[]
}

/** The file cannot be followed; the message says why, and what helps. */
export class DevcontainerError extends Error {}

const remedy = 'Build the image in CI, push it to a registry, and name it under `image`.'

/** What would have to be built or fetched by running something on the runner's machine. */
const building: Record<string, string> = dictionary({
  build: 'builds its image',
  dockerFile: 'builds its image',
  dockerComposeFile: 'starts services with Docker Compose',
  features: 'adds features to its image',
})

/** Says something to an editor or to people, and nothing about what programs there are. */
const harmless = ['name', 'image', 'containerEnv', 'remoteEnv', 'customizations', '$schema']

export function readDevcontainer(file: string, text: string): Devcontainer {
  const wrong = (why: string) => new DevcontainerError(`${file} ${why}`)
  let value: unknown
  try {
    value = JSON.parse(withoutComments(text))
  } catch (error) {
    throw wrong(`can’t be read: ${(error as Error).message}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw wrong('is not a JSON object.')
  const fields = value as Record<string, unknown>
  const built = Object.keys(building).find((name) => isSaid(fields[name]))
  if (built) throw wrong(`${building[built]} (\`${built}\`), which a runner does not do. ${remedy}`)
  if (fields.image === undefined) throw wrong(`names no image. ${remedy}`)
  const image = typeof fields.image === 'string' ? imageIn(fields.image) : null
  if (!image)
    throw wrong(`has an \`image\` that is not an image name. Write it as \`ghcr.io/acme/ci@sha256:…\`.`)
  const environment = { ...plainIn(fields.containerEnv), ...plainIn(fields.remoteEnv) }
  return {
    image,
    environment,
    ignored: [
      ...Object.keys(fields).filter((name) => !harmless.includes(name) && !Object.hasOwn(building, name)),
      ...['containerEnv', 'remoteEnv'].flatMap((name) => leftOf(name, fields[name], environment)),
    ],
  }
}

const isSaid = (value: unknown) =>
  value !== undefined && !(typeof value === 'object' && value !== null && Object.keys(value).length === 0)

const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/

/** What refers to something else depends on a machine that is not there. */
const isPlain = (name: string, value: unknown): value is string =>
  variableName.test(name) && typeof value === 'string' && !value.includes('${') && !value.includes('\0')

const entriesOf = (value: unknown): [string, unknown][] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : []

const plainIn = (value: unknown): Record<string, string> =>
  Object.fromEntries(entriesOf(value).filter((entry): entry is [string, string] => isPlain(...entry)))

const leftOf = (field: string, value: unknown, taken: Record<string, string>): string[] =>
  entriesOf(value).flatMap(([name]) => (Object.hasOwn(taken, name) ? [] : [`${field}.${name}`]))

/** JSON as editors write it: comments become spaces, and commas before an end go. What is in a string stays. */
export function withoutComments(text: string): string {
  const pieces: string[] = []
  /** A comma after which nothing has come yet but spaces and comments. */
  let comma = -1
  for (let at = text.startsWith('\uFEFF') ? 1 : 0; at < text.length; ) {
    const end = endOfToken(text, at)
    const token = text.slice(at, end)
    const isComment = token.startsWith('//') || token.startsWith('/*')
    if ((token === '}' || token === ']') && comma >= 0) pieces[comma] = ' '
    if (token === ',') comma = pieces.length
    else if (!isComment && token.trim() !== '') comma = -1
    pieces.push(isComment ? ' ' : token)
    at = end
  }
  return pieces.join('')
}

/** Where what begins here ends: a string, a comment, or a letter. What is not closed goes to the end. */
function endOfToken(text: string, at: number): number {
  const after = (mark: string, from: number, more: number) => {
    const found = text.indexOf(mark, from)
    return found < 0 ? text.length : found + more
  }
  if (text.startsWith('//', at)) return after('\n', at, 0)
  if (text.startsWith('/*', at)) return after('*/', at + 2, 2)
  if (text[at] !== '"') return at + 1
  let end = at + 1
  while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1
  return Math.min(end + 1, text.length)
}
