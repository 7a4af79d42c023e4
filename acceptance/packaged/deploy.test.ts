import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'

/** What operators copy: held against the programs that read it, where this machine has them. */

const repository = path.resolve(import.meta.dirname, '..', '..')
const run = promisify(execFile)
const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-deploy-'))
after(() => rm(folder, { recursive: true, force: true }))

const without = (program: string): string | false => {
  try {
    execFileSync('which', [program])
    return false
  } catch {
    return `${program} is not installed`
  }
}

for (const unit of ['signalbox.service', 'signalbox-runner.service'])
  test(`${unit} is taken by systemd, and exposes less than 3 of 10`, {
    skip: without('systemd-analyze'),
  }, async () => {
    const file = path.join(repository, 'deploy', 'systemd', unit)
    const analyze = (...args: string[]) => run('systemd-analyze', ['--no-pager', ...args, file])
    const { stderr } = await analyze('verify')
    assert.doesNotMatch(stderr, new RegExp(unit.replace('.', '\\.')))
    const { stdout } = await analyze('--offline=yes', 'security')
    const [, exposure] = /Overall exposure level for \S+: ([\d.]+)/.exec(stdout)!
    assert.ok(Number(exposure) < 3, exposure)
  })

test('the proxy of compose.yaml is configured as haproxy understands it', {
  skip: without('haproxy') || without('openssl'),
}, async () => {
  const [key, certificate, both] = ['key.pem', 'certificate.pem', 'tls.pem'].map((name) =>
    path.join(folder, name),
  )
  await run('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
    ...['-subj', '/CN=localhost', '-days', '2', '-keyout', key!, '-out', certificate!],
  ])
  await writeFile(both!, `${await readFile(certificate!, 'utf8')}${await readFile(key!, 'utf8')}`)
  const text = await readFile(path.join(repository, 'deploy', 'compose', 'haproxy.cfg'), 'utf8')
  assert.match(text, /crt \/etc\/signalbox\/tls\.pem/)
  const file = path.join(folder, 'haproxy.cfg')
  await writeFile(file, text.replace('/etc/signalbox/tls.pem', both!))
  await run('haproxy', ['-c', '-f', file])
})

test('compose.yaml and the units set nothing that the server does not know', async () => {
  const known = await readFile(path.join(repository, 'docs', 'configuration.md'), 'utf8')
  const compose = await readFile(path.join(repository, 'compose.yaml'), 'utf8')
  const [, settings] = /environment: &settings\n((?: {4}.*\n)+)/.exec(compose)!
  const names = [...settings!.matchAll(/^ {4}([A-Z_]+):/gm)].map(([, name]) => name!)
  assert.deepEqual(names, ['DATABASE_URL', 'SECRET_KEY', 'SECRET_KEY_PREVIOUS', 'PUBLIC_URL', 'TRUST_PROXY'])
  for (const name of names) assert.ok(known.includes(`\`${name}\``), name)
})
