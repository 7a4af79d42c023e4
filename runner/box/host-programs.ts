import { execFileSync } from 'node:child_process'
import { realpathSync } from 'node:fs'
import path from 'node:path'

/** Where things of the runner's are in a box. */
export const ours = '/run/signalbox'

/**
 * Programs of the machine that run in any image: each with the machine's own loader and libraries, which an image may
 * have in other versions or not at all. What an image calls `prlimit` limits whom it likes, so these are never the
 * image's.
 */
export interface HostPrograms {
  /** Files of the machine, and where they are in the box. */
  files: readonly (readonly [file: string, inside: string])[]
  /** How such a program is called there; null: it is not on this machine. */
  command(name: string): string[] | null
}

const loader = `${ours}/ld.so`
const libraries = `${ours}/lib`

/** By the name that each is called by, and where it is; null: it is not on this machine. */
export function resolvePrograms(programs: Readonly<Record<string, string | null>>): HostPrograms {
  const found = new Map<string, { file: string; needs: Needs }>()
  for (const [name, program] of Object.entries(programs)) {
    const needs = program && needsOf(program)
    if (needs) found.set(name, { file: realpathSync(program), needs })
  }
  const all = [...found.values()]
  const files = new Map<string, string>()
  for (const [name, { file }] of found) files.set(`${ours}/${name}`, file)
  for (const { needs } of all) {
    if (needs.loader) files.set(loader, needs.loader)
    for (const library of needs.libraries) files.set(`${libraries}/${path.basename(library)}`, library)
  }
  return {
    files: [...files].map(([inside, file]) => [realpathSync(file), inside] as const),
    command: (name) => {
      const program = found.get(name)
      if (!program) return null
      const before = program.needs.loader ? [loader, '--library-path', libraries] : []
      return [...before, `${ours}/${name}`]
    },
  }
}

interface Needs {
  /** Null: it is complete on its own. */
  loader: string | null
  libraries: string[]
}

/** As the machine's own loader finds them; null: unknown. Only the machine's own programs are asked about. */
function needsOf(program: string): Needs | null {
  try {
    return parseLdd(execFileSync('ldd', [program], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }))
  } catch (error) {
    const { stderr = '', stdout = '' } = error as { stderr?: string; stdout?: string }
    return /not a dynamic executable|not a valid dynamic program/i.test(`${stderr}${stdout}`)
      ? { loader: null, libraries: [] }
      : null
  }
}

export function parseLdd(told: string): Needs | null {
  if (/=> not found/.test(told)) return null
  const named = told.split('\n').flatMap((line) => /^(?:\S+ => )?(\/\S+) \(0x/.exec(line.trim())?.[1] ?? [])
  const isLoader = (file: string) => /\/ld(?:-|64\.so|\.so)/.test(file)
  const own = named.find(isLoader) ?? null
  if (own === null) return /statically linked/.test(told) ? { loader: null, libraries: [] } : null
  return { loader: own, libraries: [...new Set(named.filter((file) => !isLoader(file)))] }
}
