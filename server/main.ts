import './quick-start.ts'

/** The command line. Each command is a file of its own, loaded when it is asked for. */
const commands: Record<
  string,
  { about: string; load: () => Promise<{ run(args: string[]): Promise<void> }> }
> = {
  serve: {
    about:
      'serve, on the configured database; --with-runner starts a runner beside it, --workers N uses N processes',
    load: loadServe,
  },
  admin: {
    about: 'make workspaces, people and tokens; admin help tells more',
    load: () => import('./commands/admin.ts'),
  },
  migrate: { about: 'bring the database up to date and stop', load: () => import('./commands/migrate.ts') },
  'verify-audit': {
    about:
      'prove the audit log: [--workspace W] [--checkpoint FILE], or offline: --file EXPORT --proof FILE --key KEY; --print-key says the key',
    load: () => import('./commands/verify-audit.ts'),
  },
  'verify-evidence': {
    about: 'check the evidence of a run, offline: --key KEY FILE',
    load: () => import('./commands/verify-evidence.ts'),
  },
  'explain-alert': {
    about: "show what a delivery of alerts means: --kind KIND [--header 'Name: value'] FILE",
    load: () => import('./commands/explain-alert.ts'),
  },
}

/** The code is loaded while the database of a new data folder is made, which takes as long. */
async function loadServe() {
  const { makeDatabase } = await import('./commands/make-database.ts')
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  const made = makeDatabase(resolve).finally(resolve)
  // Loading lets nothing else happen in this process.
  await begun
  // Heard below; until then it is nobody's.
  made.catch(() => {})
  const { run } = await import('./commands/serve.ts')
  await made
  return { run }
}

const [name = 'help', ...args] = process.argv.slice(2)
const command = commands[name]
if (command) {
  const { orExplain } = await import('./commands/or-explain.ts')
  await orExplain(command.load().then(({ run }) => run(args)))
} else {
  const known = Object.entries(commands).map(([word, { about }]) => `  ${word.padEnd(15)} ${about}`)
  process.stderr.write(`Usage: npm run signalbox -- COMMAND\n\n${known.join('\n')}\n`)
  process.exitCode = ['help', '--help', '-h'].includes(name) ? 0 : 2
}
