import { type CommandLine, readArguments, writeAnswer } from '@signalbox/contract/command-line.ts'
import { visible } from '@signalbox/contract/visible.ts'
import { options, readConfig } from './config.ts'
import { gitFacts } from './doctor/git-facts.ts'
import { openWorkshop, registrationOf } from './equipment.ts'
import { ExitError, exitCodes } from './exit-error.ts'
import { runAsProcess } from './process.ts'
import { readSecretFiles } from './secret-files.ts'
import { version } from './version.ts'
import { performOrderIn } from './work/perform-order.ts'

const usage = `Usage: SERVICE_API_KEY=tk_… signalbox-runner --url https://signalbox.example.com
       signalbox-runner doctor [--url …]

Runs Signalbox work on this machine.

${Object.entries(options)
  .map(([name, { about }]) => `  --${name.padEnd(15)} ${about}`)
  .join('\n')}
  --json            prints JSON, one value per line
  --help, -h        prints this
  --version         prints the version

  doctor            checks what this machine has and lacks, and says how to get it; with --json, one JSON value

Exit codes: 0 asked to stop, 1 failed, 2 wrong options, 4 the token was revoked, 5 a newer runner is needed.
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
  const environment = readSecretFiles(process.env)
  if (isDoctor) {
    const { examine } = await import('./doctor/doctor.ts')
    return examine(given, environment)
  }
  const config = readConfig(given, environment)
  const workshop = await openWorkshop(config, environment)
  return runAsProcess(config, {
    ...registrationOf(workshop),
    git: gitFacts(config.gitFolders),
    work: performOrderIn(workshop),
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
