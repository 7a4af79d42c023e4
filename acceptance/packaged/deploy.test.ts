import assert from 'node:assert/strict'
import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { until } from '../demo.ts'

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

for (const unit of ['signalbox.service', 'signalbox-runner.service', 'signalbox-runner@.service'])
  test(`${unit} is taken by systemd, and exposes less than 3 of 10`, {
    skip: without('systemd-analyze'),
  }, async () => {
    const file = path.join(repository, 'deploy', 'systemd', unit)
    const analyze = (...args: string[]) => run('systemd-analyze', ['--no-pager', ...args, file])
    const { stderr } = await analyze('verify')
    assert.doesNotMatch(stderr, new RegExp(unit.replace('.', '\\.').replace('@', '@\\w*')))
    const { stdout } = await analyze('--offline=yes', 'security')
    const [, exposure] = /Overall exposure level for \S+: ([\d.]+)/.exec(stdout)!
    assert.ok(Number(exposure) < 3, exposure)
  })

test('the runner of an order is confined as the one that stays', async () => {
  const read = async (unit: string) => {
    const text = await readFile(path.join(repository, 'deploy', 'systemd', unit), 'utf8')
    const settings = text.split('\n').filter((line) => /^[A-Z]\w+=/.test(line))
    return settings.filter(
      (line) =>
        !/^(Description|ExecStart|Environment|Restart|RestartSec|StartLimit\w+|StateDirectory)=/.test(line),
    )
  }
  assert.deepEqual(await read('signalbox-runner@.service'), await read('signalbox-runner.service'))
})

test('a Slurm job waits for its runner however often it is asked to leave, and removes the folder only then', async () => {
  const place = await mkdtemp(path.join(folder, 'job-'))
  const at = (name: string) => path.join(place, name)
  await writeFile(at('runner.env'), 'SERVICE_API_KEY=tk_x\nSIGNALBOX_URL=http://127.0.0.1\n')
  // In place of the runner: it says each time it is asked, and ends when it has handed back.
  await writeFile(
    at('runner.sh'),
    `asked=0
trap 'asked=$((asked + 1)); echo "asked $asked"' TERM
echo 'asked 0'
while [ ! -e '${at('handed-back')}' ]; do sleep 0.02 & wait $!; done
[ "$3" = --data ] && [ -d "$4" ]
`,
  )
  const job = spawn('sh', [path.join(repository, 'deploy', 'slurm', 'signalbox-runner.sbatch')], {
    env: {
      ...{ PATH: process.env.PATH, TMPDIR: place, SLURM_JOB_ID: '1' },
      ...{ SIGNALBOX_RUNNER_ENV: at('runner.env'), SIGNALBOX_RUNNER: `sh ${at('runner.sh')}` },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(job, 'exit')
  let asked = 0
  for await (const line of createInterface({ input: job.stdout })) {
    assert.equal(line, `asked ${asked}`)
    if (asked++ < 3) job.kill('SIGTERM')
    else await writeFile(at('handed-back'), '')
  }
  assert.equal(asked, 4)
  assert.deepEqual(await ended, [0, null])
  assert.deepEqual((await readdir(place)).sort(), ['handed-back', 'runner.env', 'runner.sh'])
})

/** Certificate and key in one file, as haproxy reads them. */
async function tlsFile(): Promise<string> {
  const [key, certificate, both] = ['key.pem', 'certificate.pem', 'tls.pem'].map((name) =>
    path.join(folder, name),
  )
  await run('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
    ...['-subj', '/CN=localhost', '-days', '2', '-keyout', key!, '-out', certificate!],
  ])
  await writeFile(both!, `${await readFile(certificate!, 'utf8')}${await readFile(key!, 'utf8')}`)
  return both!
}

test('the proxies of compose.yaml and of the manual are configured as haproxy understands it', {
  skip: without('haproxy') || without('openssl'),
}, async () => {
  const tls = await tlsFile()
  const proxies: [text: string, certificate: string][] = [
    [
      await readFile(path.join(repository, 'deploy', 'compose', 'haproxy.cfg'), 'utf8'),
      '/etc/signalbox/tls.pem',
    ],
    [await blockOf('run-two-nodes.md', 'haproxy'), '/etc/haproxy/signalbox.pem'],
  ]
  for (const [text, certificate] of proxies) {
    assert.ok(text.includes(` crt ${certificate}`), text)
    const file = path.join(folder, 'haproxy.cfg')
    await writeFile(file, text.replace(certificate, tls))
    await run('haproxy', ['-c', '-f', file])
  }
})

test('while no node is ready, the manual’s haproxy says when to try again', {
  skip: without('haproxy') || without('openssl'),
}, async (t) => {
  const socketPath = path.join(folder, 'proxy.sock')
  const text = (await blockOf('run-two-nodes.md', 'haproxy'))
    .replace('bind :443 ', `bind unix@${socketPath} `)
    .replace('/etc/haproxy/signalbox.pem', await tlsFile())
    .replaceAll(/10\.0\.0\.\d+:4400/g, '127.0.0.1:9')
  const file = path.join(folder, 'nobody-ready.cfg')
  await writeFile(file, text)
  const proxy = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' })
  t.after(() => proxy.kill())
  const ask = async () => {
    const sent = request({ socketPath, method: 'POST', rejectUnauthorized: false }).end()
    const [{ statusCode, headers }] = await once(sent, 'response')
    return [statusCode, headers['retry-after']]
  }
  await until('haproxy listens', () => existsSync(socketPath))
  assert.deepEqual(await ask(), [503, '5'])
})

test('the manual’s file for nginx is taken by it, and repeats no POST that a node may have begun with', {
  skip: without('nginx') || without('openssl'),
}, async () => {
  const text = await blockOf('operating.md', 'nginx')
  assert.doesNotMatch(text, /non_idempotent/)
  const tls = await tlsFile()
  const site = [
    ['listen 443 ', 'listen 127.0.0.1:18443 '],
    ['/etc/nginx/signalbox.pem', tls],
    ['/etc/nginx/signalbox.key', tls],
  ].reduce((file, [from, to]) => {
    assert.ok(file.includes(from!), from)
    return file.replace(from!, to!)
  }, text)
  const file = path.join(folder, 'nginx.conf')
  await writeFile(file, `pid ${folder}/nginx.pid;\nevents {}\nhttp {\n${site}}\n`)
  await run('nginx', ['-t', '-p', folder, '-c', file, '-e', path.join(folder, 'nginx.log')])
})

test('the manual’s files for Prometheus and Alertmanager are taken by both', {
  skip: without('promtool') || without('amtool'),
}, async () => {
  const rules = path.join(repository, 'deploy', 'prometheus', 'signalbox.rules.yaml')
  await copyFile(rules, path.join(folder, 'signalbox.rules.yaml'))
  await writeFile(path.join(folder, 'signalbox.token'), 'a token')
  for (const [name, ...check] of [
    ['prometheus.yml', 'promtool', 'check', 'config'],
    ['alertmanager.yml', 'amtool', 'check-config'],
  ] as const) {
    const file = path.join(folder, name)
    const text = await blockOf('run-two-nodes.md', 'yaml', `# /etc/prometheus/${name}`)
    await writeFile(file, text.replaceAll('/etc/prometheus', folder))
    const [program, ...args] = check
    await run(program, [...args, file])
  }
})

/** What a page of the manual has its reader copy. */
async function blockOf(page: string, language: string, firstLine = ''): Promise<string> {
  const text = await readFile(path.join(repository, 'docs', 'manual', page), 'utf8')
  const blocks = [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)]
  const [block, ...others] = blocks.filter(([, of, code]) => of === language && code!.startsWith(firstLine))
  assert.ok(
    block && others.length === 0,
    `${page} has one block of ${language} that begins with "${firstLine}"`,
  )
  return block[2]!
}

test('compose.yaml and the manual set nothing that the server does not know', async () => {
  const known = await readFile(path.join(repository, 'docs', 'configuration.md'), 'utf8')
  const compose = await readFile(path.join(repository, 'compose.yaml'), 'utf8')
  const [, settings] = /environment: &settings\n((?: {4}.*\n)+)/.exec(compose)!
  const names = [...settings!.matchAll(/^ {4}([A-Z_]+):/gm)].map(([, name]) => name!)
  assert.deepEqual(names, ['DATABASE_URL', 'SECRET_KEY', 'SECRET_KEY_PREVIOUS', 'PUBLIC_URL', 'TRUST_PROXY'])
  const file = await blockOf('run-two-nodes.md', 'sh', 'SECRET_KEY=')
  const inManual = [...file.matchAll(/^([A-Z_]+)='[^']+'$/gm)].map(([, name]) => name!)
  assert.equal(inManual.length, file.trim().split('\n').length, 'a value in quotes on each line')
  for (const name of [...names, ...inManual]) assert.ok(known.includes(`\`${name}\``), name)
})
