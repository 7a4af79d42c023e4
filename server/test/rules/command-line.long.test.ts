import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { type CommandLine, readArguments } from '@signalbox/contract/command-line.ts'
import * as peopleLines from '../../../cli/command-lines.ts'
import manifest from '../../../package.json' with { type: 'json' }
import * as operatorLines from '../../commands/command-lines.ts'
import { urlOf } from '../app.ts'
import { template } from '../cluster.ts'
import { emptyDatabase } from '../database.ts'

const lines = { ...operatorLines, ...peopleLines }

/** Every program of ours, and every command of it, is called in the same way. */

const root = path.join(import.meta.dirname, '..', '..', '..')
/** Commands of one program go the same way; those of the server that are not started here are read below. */
const programs: { file: string; commands: string[][] }[] = [
  { file: 'server/main.ts', commands: [[], ['serve'], ['admin', 'token', 'revoke'], ['answer']] },
  { file: 'cli/main.ts', commands: [[], ['inbox']] },
  { file: 'runner/main.ts', commands: [[], ['doctor']] },
  { file: 'runner/conformance/command/main.ts', commands: [[]] },
  { file: 'demo/main.ts', commands: [[]] },
  { file: 'scripts/send-alert.ts', commands: [[]] },
]
const called = programs.flatMap(({ file, commands }) => commands.map((words) => ({ file, words })))

let folder: string
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'signalbox-command-line-'))
})
after(() => rm(folder, { recursive: true, force: true }))

/** In an empty folder, with an environment in which everything that could be made would be made in it. */
async function call(file: string, args: string[], settings: Record<string, string> = {}) {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const child = spawn(process.execPath, [path.join(root, file), ...args], {
    cwd: folder,
    env: { PATH, NODE_COMPILE_CACHE, HOME: folder, DATA_DIR: path.join(folder, 'data'), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const closed = new Promise<number | null>((resolve) => child.on('close', resolve))
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  const touched = await readdir(folder)
  return { code: await closed, stdout, stderr, touched }
}

test('every command prints its help on standard output, whatever else is asked, and touches nothing', async () => {
  for (const { file, words } of called) {
    const { code, stdout, stderr, touched } = await call(file, [...words, '--no-such-option', '--help'])
    assert.deepEqual([code, stderr, touched], [0, '', []], `${file} ${words.join(' ')}`)
    assert.match(stdout, /^Usage: .*--json.*--help.*--version/s)
  }
})

test('every program prints the version', async () => {
  for (const { file } of programs) {
    const { code, stdout, stderr, touched } = await call(file, ['--version'])
    assert.deepEqual([code, stdout, stderr, touched], [0, `${manifest.version}\n`, '', []], file)
  }
})

test('every command refuses an option that it does not know with 2 and its usage, and touches nothing', async () => {
  for (const { file, words } of called) {
    const { code, stdout, stderr, touched } = await call(file, [...words, '--json', '--no-such-option'])
    assert.deepEqual([code, touched], [2, []], `${file} ${words.join(' ')}`)
    assert.match(stderr, /--no-such-option.*\n\nUsage: /s)
    assert.equal(stdout, '')
  }
})

test('every command of the server reads help, version and an option that it does not know alike', () => {
  for (const [name, line] of Object.entries<CommandLine>(lines)) {
    const words = name === 'adminLine' ? ['workspace', 'create'] : []
    const answer = (...args: string[]) => {
      const read = readArguments([...words, ...args], line, '1.2.3')
      assert.ok('answer' in read, name)
      return read.answer
    }
    assert.deepEqual(answer('--no-such-option', '--help'), { exitCode: 0, stdout: line.usage, stderr: '' })
    assert.match(line.usage, /^Usage: .*--json.*--help.*--version/s)
    assert.equal(answer('--version').stdout, '1.2.3\n')
    const refused = answer('--json', '--no-such-option')
    assert.deepEqual([refused.exitCode, refused.stdout], [2, ''])
    assert.match(refused.stderr, /--no-such-option.*\n\nUsage: /s)
  }
})

test('a mistake leaves standard output empty', async () => {
  const { code, stdout, stderr } = await call('server/main.ts', ['serve', '--workers', '0'])
  assert.deepEqual([code, stdout], [2, ''])
  assert.match(stderr, /^--workers takes [^\n]*\n\nUsage: /)
})

test('-h and -V are --help and --version, and the version is JSON where that is asked for', () => {
  const answer = (...args: string[]) => {
    const read = readArguments(args, lines.migrateLine, '1.2.3')
    return 'answer' in read ? read.answer : null
  }
  assert.equal(answer('-h')!.stdout, lines.migrateLine.usage)
  assert.equal(answer('--json', '-h')!.stdout, lines.migrateLine.usage)
  assert.equal(answer('-V')!.stdout, '1.2.3\n')
  assert.equal(answer('-V', '--json')!.stdout, '{"version":"1.2.3"}\n')
  assert.equal(answer('--', '--help')!.exitCode, 2)
  assert.equal(answer('--json'), null)
})

test('what an option may not be is refused where arguments are read', () => {
  const { serveLine, adminLine, migrateLine, verifyAuditLine, verifyEvidenceLine } = lines
  const cases: [CommandLine, string, RegExp][] = [
    [serveLine, '--workers 1e1', /^--workers takes/],
    [serveLine, '--workers 65', /^--workers takes/],
    [adminLine, '', /^Name a command\./],
    [adminLine, 'constructor', /^There is no command "admin constructor"\./],
    [adminLine, 'token create --workspace w', /^--email is missing\./],
    [adminLine, 'person role --workspace w --email e --role king', /^--role must be one of/],
    [
      adminLine,
      'token create --workspace w --email e --permissions read,all --expires 30d',
      /^--permissions must be one of/,
    ],
    [
      adminLine,
      'token create --workspace w --email e --permissions read --expires 7d',
      /^--expires must be one of 30d, 90d, 1y/,
    ],
    [adminLine, 'token revoke --workspace w --token t --manage', /^"admin token revoke" takes no --manage\./],
    [adminLine, 'run stuck --workspace w --email e', /^"admin run stuck" takes no --email\./],
    [migrateLine, 'now', /^Unexpected argument 'now'/],
    [migrateLine, '--check --plan', /^Use --check or --plan/],
    [verifyAuditLine, '--file export.json', /^--proof is missing/],
    [verifyEvidenceLine, '', /^Name one FILE/],
  ]
  for (const [line, args, why] of cases) {
    const read = readArguments(args.split(' ').filter(Boolean), line, '1')
    assert.ok('answer' in read, args)
    assert.deepEqual([read.answer.exitCode, read.answer.stdout], [2, ''])
    assert.match(read.answer.stderr, why)
    assert.match(read.answer.stderr, /\n\nUsage: /)
  }
})

test('a command that there is not is named', async () => {
  for (const [args, why] of [
    [[], /^Name a command\./],
    [['frobnicate', '--help'], /^There is no command "frobnicate"\./],
    [['__proto__'], /^There is no command "__proto__"\./],
  ] as const) {
    const { code, stdout, stderr, touched } = await call('server/main.ts', [...args])
    assert.deepEqual([code, stdout, touched], [2, '', []])
    assert.match(stderr, why)
  }
})

test('a file that is not there is a mistake in the call, alike for every command', async () => {
  for (const args of [
    ['verify-audit', '--file', 'gone.json', '--proof', 'gone.json'],
    ['verify-audit', '--checkpoint', 'gone.json'],
    ['verify-evidence', 'gone.json'],
    ['explain-alert', '--kind', 'generic', 'gone.json'],
  ]) {
    const { code, stdout, stderr, touched } = await call('server/main.ts', [...args, '--json'])
    const said = 'There is no file gone.json.\n'
    assert.deepEqual([code, stdout, stderr, touched], [2, '', said, []], args.join(' '))
  }
})

test('a command that looks at an installation makes none where there is none', async () => {
  for (const args of [
    ['verify-audit'],
    ['verify-audit', '--print-key'],
    ['erase-person', 'a@example.com'],
    ['migrate', '--check'],
    ['backup', 'copy'],
  ]) {
    const { code, stdout, stderr, touched } = await call('server/main.ts', [...args, '--json'])
    assert.deepEqual([code, stdout, touched], [1, '', []], args.join(' '))
    assert.match(stderr, /^There is no database in /)
  }
})

test('a log without any workspace is not verified', async () => {
  const env = {
    DATABASE_URL: urlOf(await emptyDatabase(template)),
    SECRET_KEY: 'a key that is long enough for tests',
  }
  const { code, stdout } = await call('server/main.ts', ['verify-audit', '--json'], env)
  const { verified, findings } = JSON.parse(stdout)
  assert.deepEqual([code, verified], [1, false])
  assert.match(findings[0], /^This database has no workspace, so nothing was verified\./)
})

test('help is also a word', async () => {
  for (const args of [['help'], ['help', 'migrate'], ['migrate', 'help']]) {
    const { code, stdout, stderr } = await call('server/main.ts', args)
    assert.deepEqual([code, stderr], [0, ''], args.join(' '))
    assert.match(stdout, /^Usage: /)
  }
})

test('doctor --json prints what it has found as one JSON value', async () => {
  const { code, stdout } = await call('runner/main.ts', ['doctor', '--json'])
  const { ready, findings } = JSON.parse(stdout)
  assert.deepEqual([code, ready], [1, false])
  const server = findings.find(({ what }: { what: string }) => what === 'server')
  assert.deepEqual([server.state, /--url is missing/.test(server.remedy)], ['lacking', true])
})

test('a runner that cannot start says why on standard error', async () => {
  const { code, stdout, stderr } = await call('runner/main.ts', ['--json'])
  assert.deepEqual([code, stdout], [2, ''])
  assert.match(stderr, /--url is missing/)
})
