import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { visible } from './visible.ts'

/** What every program of ours ends with. Some add codes of their own from 3 on, and their help names them. */
export const exitCodes = { done: 0, failed: 1, usage: 2 } as const

/** What a program or one of its commands takes. Each also takes `--json`, `--help` and `--version`. */
export interface CommandLine<O extends ParseArgsOptionsConfig = ParseArgsOptionsConfig> {
  readonly usage: string
  readonly options: O
  /** Whether words may stand beside the options. */
  readonly words?: boolean
  /** The sentence about what is wrong with options that are known, each for itself; null: nothing is. */
  check?(given: Given): string | null
}

interface Given {
  values: Record<string, unknown>
  positionals: string[]
}

type Values<O extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ args: string[]; options: O & typeof everywhere; allowPositionals: true }>
>['values']

/** What was asked of `L`. */
export interface Asked<L extends CommandLine> {
  values: Values<L['options']>
  positionals: string[]
}

/** What to print, and what to end with, where nothing is to be done. */
export interface Answer {
  exitCode: number
  stdout: string
  stderr: string
}

const everywhere = {
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'V' },
} as const

/** The end of every usage. */
export const usualOptions = `  --json       prints one JSON value on standard output
  --help, -h   prints this
  --version    prints the version
`

/**
 * The one way in which all of our programs read arguments, before they touch anything: a folder, a database, a server.
 * A request for help is answered on standard output, whatever else the command line says; a mistake is told on standard
 * error with the usage below it, and ends with 2. Standard output holds results and nothing else, with --json as
 * without.
 */
export function readArguments<L extends CommandLine>(
  args: string[],
  line: L,
  version: string,
): Asked<L> | { answer: Answer } {
  const wants = wanted(args)
  if (wants.help) return { answer: { exitCode: exitCodes.done, stdout: line.usage, stderr: '' } }
  if (wants.version)
    return {
      answer: {
        exitCode: exitCodes.done,
        stdout: wants.json ? `${JSON.stringify({ version })}\n` : `${version}\n`,
        stderr: '',
      },
    }
  try {
    const asked = parseArgs({
      args,
      options: { ...line.options, ...everywhere },
      allowPositionals: line.words ?? false,
    })
    const mistake = line.check?.(asked as Given)
    return mistake ? { answer: usageErrorAnswer(line, mistake) } : (asked as Asked<L>)
  } catch (error) {
    return { answer: usageErrorAnswer(line, (error as Error).message) }
  }
}

/** The answer to a command line that cannot be understood. */
export function usageErrorAnswer({ usage }: Pick<CommandLine, 'usage'>, mistake: string): Answer {
  return { exitCode: exitCodes.usage, stdout: '', stderr: `${mistake}\n\n${usage}` }
}

/** Gives the answer, as this process. */
export function writeAnswer({ exitCode, stdout, stderr }: Answer): void {
  process.stdout.write(stdout)
  // The text quotes the command line, and this may be a terminal.
  process.stderr.write(visible(stderr))
  process.exitCode = exitCode
}

/** Also where the rest cannot be read. What stands after `--` is no option. */
function wanted(args: string[]): { help: boolean; version: boolean; json: boolean } {
  const end = args.indexOf('--')
  const options = new Set(end === -1 ? args : args.slice(0, end))
  return {
    help: options.has('--help') || options.has('-h'),
    version: options.has('--version') || options.has('-V'),
    json: options.has('--json'),
  }
}
