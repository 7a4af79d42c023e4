import { type CommandLine, readArguments, writeAnswer } from '@signalbox/contract/command-line.ts'
import { visible } from '@signalbox/contract/visible.ts'
import { options, readConfig } from './config.ts'
import { gitFacts } from './doctor/git-facts.ts'
import { openWorkshop, registrationOf } from './equipment.ts'
import { ExitError, exitCodes } from './exit-error.ts'
import { runAsProcess } from './process.ts'
import { version } from './version.ts'
import { workIn } from './work/work.ts'

const usage = `Usage: SERVICE_API_KEY=tk_… signalbox-runner --url https://signalbox.example.com
       signalbox-runner doctor [--url …]

Runs Signalbox work on this machine.

${Object.entries(options)
  .map(([name, { about }]) => `  --${name.padEnd(15)} ${about}`)
  .join('\n')}
  --json            what it says as JSON, one value a line
  --help, -h        prints this
  --version         prints the version

  doctor            says what this machine has, what it lacks and how to get it; with --json as one JSON value

Exit codes: 0 asked to leave, 1 it could not go on, 2 wrong options, 4 the token was revoked, 5 a newer runner is needed.
`

const line: CommandLine = { usage, options }

async function run(args: string[]): Promise<number> {
  if (Number.parseInt(process.versions.node, 10) < 24)
    throw new ExitError(`The runner needs Node 24 or later; this is ${process.versions.node}.`)
  const isDoctor = args[0] === 'doctor'
  const given = isDoctor ? args.slice(1) : args
  const read = readArguments(given, line, version)
  if ('answer' in read) {
    writeAnswer(read.answer)
    return read.answer.exitCode
  }
  if (isDoctor) {
    const { examine } = await import('./doctor/doctor.ts')
    return examine(given, process.env)
  }
  const config = readConfig(given, process.env)
  const workshop = await openWorkshop(config, process.env)
  return runAsProcess(config, {
    ...registrationOf(workshop),
    git: gitFacts(config.gitFolders),
    work: workIn(workshop),
    trash: workshop.trash,
    tidy: workshop.tidy,
  })
}

try {
  process.exitCode = await run(process.argv.slice(2))
} catch (error) {
  process.stderr.write(
    `${visible((error instanceof ExitError ? error.message : (error as Error).stack) ?? `${error}`)}\n`,
  )
  process.exitCode = error instanceof ExitError ? error.exitCode : exitCodes.failed
}
// Whatever an agent's library has left open does not hold the process up.
process.exit()
