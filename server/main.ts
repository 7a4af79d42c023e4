import './quick-start.ts'
import './small-heap.ts'
import {
  type Asked,
  type CommandLine,
  readArguments,
  usageErrorAnswer,
  usualOptions,
  writeAnswer,
} from '@signalbox/contract/command-line.ts'
import { version } from './app/version.ts'
import {
  adminLine,
  backupLine,
  doctorLine,
  explainAlertLine,
  migrateLine,
  restoreLine,
  serveLine,
  verifyAuditLine,
  verifyEvidenceLine,
} from './commands/command-lines.ts'

interface Command {
  about: string
  line: CommandLine
  load(): Promise<{ run(asked: Asked<CommandLine>): Promise<void> }>
}

const command = <L extends CommandLine>(
  about: string,
  line: L,
  load: () => Promise<{ run(asked: Asked<L>): Promise<void> }>,
): Command => ({ about, line, load: load as Command['load'] })

/**
 * The command line. Each command is a file of its own, loaded when it is asked for and its arguments have been read.
 */
const commands = new Map<string, Command>([
  ['serve', command('serve, on the configured database', serveLine, loadServe)],
  ['admin', command('make workspaces, people and tokens', adminLine, () => import('./commands/admin.ts'))],
  [
    'migrate',
    command('bring the database up to date and stop', migrateLine, () => import('./commands/migrate.ts')),
  ],
  [
    'backup',
    command('make a backup, also while the server runs', backupLine, () => import('./commands/backup.ts')),
  ],
  [
    'restore',
    command(
      'restore a backup into an empty folder or database',
      restoreLine,
      () => import('./commands/restore.ts'),
    ),
  ],
  [
    'doctor',
    command(
      'say how the installation is doing, with remedies',
      doctorLine,
      () => import('./commands/doctor.ts'),
    ),
  ],
  [
    'verify-audit',
    command(
      'prove the audit log, or an export of it',
      verifyAuditLine,
      () => import('./commands/verify-audit.ts'),
    ),
  ],
  [
    'verify-evidence',
    command('check the evidence of a run', verifyEvidenceLine, () => import('./commands/verify-evidence.ts')),
  ],
  [
    'explain-alert',
    command(
      'show what a delivery of alerts means',
      explainAlertLine,
      () => import('./commands/explain-alert.ts'),
    ),
  ],
])

const all: CommandLine = {
  usage: `Usage: npm run signalbox -- COMMAND

${[...commands].map(([word, { about }]) => `  ${word.padEnd(15)} ${about}\n`).join('')}
COMMAND --help says what it takes. All of them take:

${usualOptions}
Exit codes: 0 done, 1 failed, 2 called wrongly or configured wrongly; then nothing was touched.
`,
  options: {},
}

/** The code is loaded while the database of a new data folder is made, which takes as long. */
async function loadServe() {
  const { makeDatabase } = await import('./commands/make-database.ts')
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  const made = makeDatabase(resolve).finally(resolve)
  // Loading lets nothing else happen in this process.
  await begun
  // Heard below; until then it is no one's.
  made.catch(() => {})
  const { run } = await import('./commands/serve.ts')
  await made
  return { run }
}

/** `help migrate` and `migrate help` are `migrate --help`. */
function withHelp(given: string[]): string[] {
  const [first, ...rest] = given
  if (first === 'help') return [...rest, '--help']
  return rest.length === 1 && rest[0] === 'help' ? [first!, '--help'] : given
}

const args = withHelp(process.argv.slice(2))
const [name = '', ...rest] = args
const chosen = commands.get(name)
if (chosen) await runCommand(chosen)
else if (name !== '' && !name.startsWith('-'))
  writeAnswer(usageErrorAnswer(all, `There is no command "${name}".`))
else {
  const read = readArguments(args, all, version)
  writeAnswer('answer' in read ? read.answer : usageErrorAnswer(all, 'Name a command.'))
}

async function runCommand({ line, load }: Command): Promise<void> {
  const read = readArguments(rest, line, version)
  if ('answer' in read) return writeAnswer(read.answer)
  const { orExplain } = await import('./commands/or-explain.ts')
  await orExplain(load().then(({ run }) => run(read)))
}
