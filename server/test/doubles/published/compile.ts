import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'

/** A value that went over the wire, and the type that its tool publishes for it. */
export interface Held {
  /** For people: which exchange it is of, and which part. */
  what: string
  /** In TypeScript, in the words of the preamble. */
  type: string
  value: unknown
}

const root = path.join(import.meta.dirname, '..', '..', '..', '..')

/**
 * What the compiler says against the values: each is written down as a literal of its type, so that a field that is
 * missing, of another type, or unknown is an error at its place. One program for all, since reading the types is most of
 * what it costs.
 */
export async function complaintsAbout(held: readonly Held[], preamble: string): Promise<string[]> {
  const lines: { text: string; at: string }[] = preamble.split('\n').map((text) => ({ text, at: 'preamble' }))
  const known = new Set<string>()
  for (const { what, type, value } of held) {
    const text = `${type} ${JSON.stringify(value)}`
    if (known.has(text)) continue
    known.add(text)
    const [first, ...rest] = literal(value, what)
    lines.push({ text: `export const held${known.size}: ${type} = ${first!.text}`, at: what }, ...rest)
  }
  const said = await compiled(lines.map(({ text }) => text).join('\n'))
  return said.flatMap((line) => {
    const [, number, message] = /^[^\s(]+\((\d+),\d+\): error TS\d+: (.*)$/.exec(line) ?? []
    // What follows is indented and says more about the one before.
    return message ? [`${lines[Number(number) - 1]!.at}: ${message}`] : /^\s/.test(line) ? [] : [line]
  })
}

/** One line for each field, so that a line number is a place. */
function literal(value: unknown, at: string): { text: string; at: string }[] {
  if (typeof value !== 'object' || value === null) return [{ text: JSON.stringify(value), at }]
  const isList = Array.isArray(value)
  const fields = Object.entries(value).flatMap(([name, one]) => {
    const place = isList ? `${at}[${name}]` : `${at}.${name}`
    const [first, ...rest] = literal(one, place)
    const text = isList ? first!.text : `${JSON.stringify(name)}: ${first!.text}`
    const all = [{ text, at: place }, ...rest]
    all[all.length - 1] = { ...all.at(-1)!, text: `${all.at(-1)!.text},` }
    return all
  })
  return [{ text: isList ? '[' : '{', at }, ...fields, { text: isList ? ']' : '}', at }]
}

/** Beside the packages, where the compiler finds their types. */
async function compiled(source: string): Promise<string[]> {
  const cache = path.join(root, 'node_modules', '.cache')
  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(path.join(cache, 'published-'))
  try {
    const file = path.join(folder, 'exchanges.ts')
    await writeFile(file, source)
    const options = [
      ...['--ignoreConfig', '--noEmit', '--pretty', 'false', '--strict', '--skipLibCheck'],
      ...['--module', 'nodenext', '--target', 'esnext', '--types', ''],
    ]
    const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    const { code, output } = await new Promise<{ code: number; output: string }>((resolve) => {
      const most = { maxBuffer: 64 * 1024 * 1024, cwd: folder }
      const child = execFile(process.execPath, [tsc, ...options, 'exchanges.ts'], most, (_, stdout, stderr) =>
        resolve({ code: child.exitCode ?? 1, output: stdout + stderr }),
      )
    })
    const said = output.split('\n').filter((line) => line.trim() !== '')
    if (code !== 0 && said.length === 0) return [`The compiler ended with ${code} and said nothing.`]
    return said
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
