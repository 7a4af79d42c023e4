import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { ApiError } from '@signalbox/client'
import type { Configuration } from '@signalbox/contract/manage/configuration.ts'
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, stringify } from 'yaml'
import { CommandError } from './command-error.ts'
import { note, oneLine } from './terminal/print.ts'

export interface ConfigurationFile {
  configuration: unknown
  /** A sentence about a place in the file, such as `teams.web.name`, with the line that it is in. */
  located(message: string): string
}

/** The file that describes a workspace, in YAML or JSON; `-` is standard input. */
export async function readConfigurationFile(file: string): Promise<ConfigurationFile> {
  const given = file === '-' ? await text(process.stdin) : await readFile(file, 'utf8').catch(unreadable)
  const source = file === '-' ? 'Standard input' : file
  if (given.trim() === '') throw new CommandError(`${source} is empty. Begin with: version: 1`)
  const lines = new LineCounter()
  let document: Document
  let configuration: unknown
  try {
    // A key that is written twice is a mistake, and an alias that grows without end an attack: both are refused.
    document = parseDocument(given, { uniqueKeys: true, schema: 'core', lineCounter: lines })
    if (document.errors.length > 0) throw document.errors[0]
    configuration = document.toJS({ maxAliasCount: 100 })
  } catch (error) {
    throw new CommandError(`${source} is not YAML: ${(error as Error).message}`)
  }
  if (!isObject(configuration))
    throw new CommandError(`${source} must have fields, such as teams. Begin with: version: 1`)
  const located = (message: string) => {
    const said = message.replaceAll('`configuration.', '`')
    const at = offsetOf(document, placeIn(message))
    return at === null ? said : `${source}, line ${lines.linePos(at).line}: ${said}`
  }
  return { configuration, located }
}

/** Where in the file a sentence says something is, in front of whatever else it says. */
const placeIn = (message: string) => /`configuration\.([^`]+)`/.exec(message)?.[1] ?? message

/** How far a path such as `members.robin@example.com.role` leads: names may have dots of their own. */
function offsetOf(document: Document, path: string): number | null {
  let [node, rest, at] = [document.contents as unknown, path, null as number | null]
  for (;;) {
    if (isAlias(node)) node = node.resolve(document)
    const steps = isMap(node)
      ? node.items.map(({ key, value }) => ({ name: nameOf(key), key, value: value as unknown }))
      : isSeq(node)
        ? node.items.map((value, index) => ({ name: String(index), key: value, value }))
        : []
    const [step] = steps
      .filter(({ name }) => name !== '' && rest.startsWith(name) && !/^[\w@-]/.test(rest.slice(name.length)))
      .sort((a, b) => b.name.length - a.name.length)
    if (!step) return at
    at = (step.key as { range?: number[] | null } | null)?.range?.[0] ?? at
    node = step.value
    rest = rest.slice(step.name.length).replace(/^\./, '')
  }
}

const nameOf = (key: unknown): string => (isScalar(key) ? String(key.value) : '')

/** What the server refuses in the file is told with its line there. */
export async function locating<T>(file: ConfigurationFile, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { status, code, message, requestId, retryAfterSeconds } = error
    throw new ApiError({ status, code, message: file.located(message), requestId, retryAfterSeconds })
  }
}

const unreadable = (error: NodeJS.ErrnoException): never => {
  const why = error.code === 'ENOENT' ? 'There is no such file' : `It cannot be read (${error.code})`
  throw new CommandError(`${error.path}: ${why}. Name another with -f FILE.`, 'usage')
}

/**
 * Reads the secrets that the file names, on this machine. What is not there is refused, or left out where nothing is
 * applied: a check of a pull request has no secrets.
 */
export async function withSecrets(
  { configuration, located }: ConfigurationFile,
  missing: 'refused' | 'left out',
): Promise<unknown> {
  const copy = structuredClone(configuration)
  const resolve = (holder: Values, name: string, place: string) =>
    resolveSecret(holder, name, `${place}.${name}`, { located, missing })
  for (const [key, connection] of Object.entries(section(copy, 'connections')))
    for (const name of Object.keys(section(connection, 'credentials')))
      await resolve(section(connection, 'credentials'), name, `connections.${key}.credentials`)
  for (const [key, source] of Object.entries(section(copy, 'sources')))
    if (isObject(source)) await resolve(source, 'secret', `sources.${key}`)
  return copy
}

type Values = Record<string, unknown>

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What is no object is refused by the server, in words. */
function section(value: unknown, name: string): Values {
  const found = isObject(value) ? value[name] : undefined
  return isObject(found) ? found : {}
}

async function resolveSecret(
  holder: Values,
  name: string,
  place: string,
  { located, missing }: Pick<ConfigurationFile, 'located'> & { missing: 'refused' | 'left out' },
): Promise<void> {
  const secret = holder[name]
  // It would be sent, and everyone who can read the file could read it.
  if (typeof secret === 'string')
    throw new CommandError(
      oneLine(located(`${place} must name where the secret is, as { env: NAME } or { file: PATH }.`)),
    )
  if (!isObject(secret) || !('env' in secret || 'file' in secret)) return
  const value = await readSecret(secret)
  if (value) holder[name] = { value }
  // The server is told that there is one, so that it asks for none.
  else if (missing === 'left out')
    note(oneLine(located(`${place}: ${whereOf(secret)} was not found, so this secret is not compared.`)))
  else throw new CommandError(oneLine(located(`${place}: ${whereOf(secret)} was not found.`)))
}

const whereOf = ({ env, file }: Values) => (env === undefined ? `the file ${file}` : `the variable ${env}`)

async function readSecret({ env, file }: Values): Promise<string | undefined> {
  if (typeof env === 'string') return process.env[env]
  const text = await readFile(String(file), 'utf8').catch(() => undefined)
  return text?.replace(/\r?\n$/, '')
}

export const configurationText = (configuration: Configuration): string =>
  stringify(configuration, { lineWidth: 100 })
