import {
  type Asked,
  type CommandLine,
  readArguments,
  usageErrorAnswer,
  usualOptions,
  writeAnswer,
} from '@signalbox/contract/command-line.ts'

/** One command: what it takes, and the file that does it, loaded when its arguments have been read. */
export interface Command {
  about: string
  line: CommandLine
  /** Words that may follow, for shells that complete them. */
  words?: readonly string[]
  load(): Promise<{ run(asked: Asked<CommandLine>): Promise<void> }>
}

export const command = <L extends CommandLine>(
  about: string,
  line: L,
  load: () => Promise<{ run(asked: Asked<L>): Promise<void> }>,
  words: readonly string[] = [],
): Command => ({ about, line, words, load: load as Command['load'] })

export type Commands = ReadonlyMap<string, Command>

/** The same commands; what goes wrong in one of them, also while it is loaded, is told by `explain`. */
export const explainedBy = (
  explain: (run: () => Promise<void>) => Promise<void>,
  commands: Record<string, Command>,
): Commands =>
  new Map(
    Object.entries(commands).map(([word, { load, ...one }]) => [
      word,
      {
        ...one,
        load: async () => ({ run: (asked) => explain(async () => (await load()).run(asked)) }),
      },
    ]),
  )

export interface Program {
  /** How it is called here, up to the command. */
  called: string
  version: string
  /** By heading, in the order in which the help lists them. */
  groups: Record<string, Commands>
  /** After the list. */
  footer: string
}

/** Reads the command line and does what it asks. */
export async function runProgram(given: string[], program: Program): Promise<void> {
  const [name = '', ...rest] = withHelp(given)
  const chosen = new Map(Object.values(program.groups).flatMap((group) => [...group])).get(name)
  if (chosen) return runCommand(chosen, rest, program.version)
  const all: CommandLine = { usage: usageOf(program), options: {} }
  if (name !== '' && !name.startsWith('-'))
    return writeAnswer(usageErrorAnswer(all, `There is no command "${name}".`))
  const read = readArguments([name, ...rest].filter(Boolean), all, program.version)
  writeAnswer('answer' in read ? read.answer : usageErrorAnswer(all, 'Name a command.'))
}

async function runCommand({ line, load }: Command, args: string[], version: string): Promise<void> {
  const read = readArguments(args, line, version)
  if ('answer' in read) return writeAnswer(read.answer)
  const { run } = await load()
  await run(read)
}

/** `help migrate` and `migrate help` are `migrate --help`. */
function withHelp(given: string[]): string[] {
  const [first, ...rest] = given
  if (first === 'help') return [...rest, '--help']
  return rest.length === 1 && rest[0] === 'help' ? [first!, '--help'] : given
}

const usageOf = ({ called, groups, footer }: Program): string => `Usage: ${called}COMMAND

${Object.entries(groups)
  .map(([heading, commands]) => `${heading}:\n${[...commands].map(rowOf).join('')}`)
  .join('\n')}
COMMAND --help lists its options. Every command takes:

${usualOptions}
${footer}`

const rowOf = ([word, { about }]: [string, Command]) => `  ${word.padEnd(15)} ${about}\n`
