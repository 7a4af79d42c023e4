import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { parseDocument } from 'yaml'
import { reportKinds } from '../reports/report.ts'
import type { GateDefinition } from './gate.ts'

export const gatesFile = '.kanman/gates.yml'

const folder = Type.String({
  // No way up, and nothing that begins at another root.
  pattern: '^(?!/)(?!.*(^|/)\\.\\.(/|$)).+$',
  maxLength: 300,
})
const timeout = Type.Union([
  Type.Integer({ minimum: 1, maximum: 14_400 }),
  Type.String({ pattern: '^[1-9][0-9]{0,4}[smh]$' }),
])
const step = {
  run: Type.String({ minLength: 1, maxLength: 4_000 }),
  folder: Type.Optional(folder),
  timeout: Type.Optional(timeout),
}

const GatesFile = Type.Object(
  {
    setUp: Type.Optional(Type.Array(Type.Object(step, { additionalProperties: false }), { maxItems: 20 })),
    gates: Type.Array(
      Type.Object(
        {
          name: Type.String({ minLength: 1, maxLength: 80 }),
          ...step,
          report: Type.Optional(Type.Enum([...reportKinds])),
          path: Type.Optional(folder),
          network: Type.Optional(Type.Enum(['none', 'registries'])),
        },
        { additionalProperties: false },
      ),
      { maxItems: 50 },
    ),
  },
  { additionalProperties: false },
)
type GatesFile = Static<typeof GatesFile>

/** The file cannot be followed; the message says where and why. */
export class GatesFileError extends Error {
  constructor(why: string) {
    super(`${gatesFile}: ${why}`)
  }
}

export const usualTimeoutSeconds = 1_200
const mostOfAFile = 100_000

/** `setUp` is null where the file says nothing of it: the rules know how a project is prepared. */
export function readGatesFile(text: string): { setUp: GateDefinition[] | null; gates: GateDefinition[] } {
  if (text.length > mostOfAFile) throw new GatesFileError('it is too large')
  const document = parseDocument(text, { uniqueKeys: true })
  const [error] = document.errors
  if (error)
    throw new GatesFileError(`line ${error.linePos?.[0].line ?? '?'}: ${error.message.split('\n')[0]}`)
  const value = read(() => document.toJS({ maxAliasCount: 50 }))
  if (!Value.Check(GatesFile, value)) throw new GatesFileError(complaint(value))
  const names = value.gates.map(({ name }) => name)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice) throw new GatesFileError(`two gates have the name ${JSON.stringify(twice)}`)
  const alone = value.gates.find((gate) => gate.path && !gate.report)
  if (alone)
    throw new GatesFileError(
      `gate ${JSON.stringify(alone.name)} has a path but no report; name the kind of report`,
    )
  return {
    setUp:
      value.setUp?.map((one) => ({ ...stepOf(one), name: one.run, report: null, network: 'registries' })) ??
      null,
    gates: value.gates.map((gate) => ({
      ...stepOf(gate),
      name: gate.name,
      report: gate.report ? { kind: gate.report, path: gate.path ?? null } : null,
      network: gate.network ?? 'none',
    })),
  }
}

function read(take: () => unknown): unknown {
  try {
    return take()
  } catch (error) {
    throw new GatesFileError(error instanceof Error ? error.message : String(error))
  }
}

/** In words where the library has none that help. */
function complaint(value: unknown): string {
  const [first] = Value.Errors(GatesFile, value)
  if (!first) return 'it cannot be read'
  const where = first.instancePath.split('/').slice(1).join('.') || 'the file'
  const field = where.split('.').at(-1)!
  if (first.message === 'schema is false') return `${where} is not a known setting`
  if (field === 'folder' || field === 'path') return `${where} must be a path inside the repository`
  if (field === 'timeout') return `${where} must be seconds, or a number followed by s, m or h`
  return `${where} ${first.message}`
}

const stepOf = ({
  run,
  folder = '.',
  timeout,
}: GatesFile['gates'][number] | { run: string; folder?: string; timeout?: number | string }) => ({
  run,
  folder,
  timeoutSeconds: timeout === undefined ? usualTimeoutSeconds : secondsIn(timeout),
})

const units = { s: 1, m: 60, h: 3_600 }
const secondsIn = (text: number | string) =>
  typeof text === 'number' ? text : Number(text.slice(0, -1)) * units[text.at(-1) as keyof typeof units]
