import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { until } from '../demo.ts'
import { build, buildImages, limits, names, podman, repository, runtime, skipWithout } from './images.ts'
import { walkThrough } from './walk-through.ts'

/**
 * `npm run test:compose`: compose.yaml as it is, by podman-compose, with Debian's PostgreSQL and haproxy in the places of
 * the two images that a registry would have. Also needs podman-compose, openssl, and what names the containers to each
 * other, which podman only recommends.
 */

const run = promisify(execFile)
const skip = skipWithout('podman-compose', 'openssl', 'netavark', 'aardvark-dns')
const project = `signalbox-test-${process.pid}`
const port = 20_000 + (process.pid % 10_000)
const url = `https://localhost:${port}`
const standIns = { database: 'localhost/signalbox-test/postgres', proxy: 'localhost/signalbox-test/haproxy' }
// Its certificate was made a minute ago.
process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'

let folder: string
const compose = (...args: string[]) =>
  run(
    'podman-compose',
    [
      ...['--project-name', project, '--podman-args', runtime.join(' ')],
      ...['--podman-run-args', [...runtime, ...limits].join(' '), ...args],
    ],
    { cwd: folder, maxBuffer: 2 ** 26 },
  )
const logOf = async (service: string) => {
  const { stdout, stderr } = await podman('logs', `${project}_${service}_1`)
  return stdout + stderr
}

before(async () => {
  if (skip) return
  folder = await mkdtemp(path.join(tmpdir(), 'signalbox-compose-'))
  await buildImages(folder)
  await buildStandIns()
  const tls = ['key.pem', 'certificate.pem', 'tls.pem'].map((name) => path.join(folder, name))
  await run('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
    ...['-subj', '/CN=localhost', '-days', '2', '-keyout', tls[0]!, '-out', tls[1]!],
  ])
  await writeFile(tls[2]!, `${await readFile(tls[1]!, 'utf8')}${await readFile(tls[0]!, 'utf8')}`)
  await chmod(folder, 0o755)
  await writeFile(
    path.join(folder, '.env'),
    `POSTGRES_PASSWORD=a-password\nSECRET_KEY=${'k'.repeat(40)}\nPUBLIC_URL=${url}\nTLS_PEM=${tls[2]}\nHTTPS_PORT=${port}\n`,
  )
  await writeFile(path.join(folder, 'compose.yaml'), await composition())
  await compose('up', '--detach')
})
after(async () => {
  if (!folder) return
  await compose('down', '--volumes').catch(() => {})
  await rm(folder, { recursive: true, force: true })
})

/** compose.yaml with images that are here. */
async function composition(): Promise<string> {
  const text = await readFile(path.join(repository, 'compose.yaml'), 'utf8')
  const replaced: [RegExp, string][] = [
    [/image: postgres:18$/m, `image: ${standIns.database}`],
    [/image: haproxy:3\.2$/m, `image: ${standIns.proxy}`],
    [/image: signalbox$/gm, `image: ${names.server}`],
    [/image: signalbox-runner$/m, `image: ${names.runner}`],
    [/^ *build: \{.*\n/gm, ''],
    [/- \.\/deploy\//, `- ${repository}/deploy/`],
  ]
  for (const [what] of replaced) assert.match(text, what)
  return replaced.reduce((now, [what, by]) => now.replace(what, by), text)
}

async function buildStandIns(): Promise<void> {
  const parts: [keyof typeof standIns, Record<string, string>][] = [
    [
      'database',
      {
        Dockerfile: `FROM ${names.base}
RUN apt-get update && apt-get install -y --no-install-recommends postgresql-15 && chown postgres /var/lib/postgresql
COPY start.sh /start.sh
ENV PATH=/usr/lib/postgresql/15/bin:/usr/bin:/bin
USER postgres
ENTRYPOINT ["sh", "/start.sh"]
`,
        'start.sh': `set -eu
data=/var/lib/postgresql/made
echo "$POSTGRES_PASSWORD" > /tmp/password
initdb -D $data -U "$POSTGRES_USER" --pwfile=/tmp/password --auth=scram-sha-256
echo "host all all all scram-sha-256" >> $data/pg_hba.conf
echo "create database $POSTGRES_USER" | postgres --single -D $data postgres
exec postgres -D $data -c listen_addresses='*' -k /tmp
`,
      },
    ],
    [
      'proxy',
      {
        Dockerfile: `FROM ${names.base}
RUN apt-get update && apt-get install -y --no-install-recommends haproxy
USER haproxy
ENTRYPOINT ["haproxy", "-W", "-db", "-f", "/usr/local/etc/haproxy/haproxy.cfg"]
`,
      },
    ],
  ]
  for (const [service, files] of parts) {
    const context = path.join(folder, service)
    await mkdir(context)
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(context, name), text)
    await build(context, standIns[service])
  }
}

test('two nodes behind TLS are set up, take an alert and answer a decision', { skip }, async () => {
  const link = /\/setup\?code=([\w-]+)/
  await until('a node prints its link', async () => link.test(await logOf('server-1')))
  await until('the proxy has found a node', async () => (await fetch(`${url}/readyz`)).status === 200)
  await walkThrough(url, link.exec(await logOf('server-1'))![1]!)
})

test('one node stops, and no request fails', { skip }, async (t) => {
  await until('both nodes are taken for ready', async () => (await downNodes()) === 0)
  let stopped = false
  const statuses: number[] = []
  const asking = Array.from({ length: 4 }, async () => {
    while (!stopped) statuses.push((await fetch(`${url}/api/setup`)).status)
  })
  await podman('stop', '--time', '30', `${project}_server-1_1`)
  const answered = statuses.length
  await until('the other node has answered for a while', () => statuses.length > answered + 200)
  stopped = true
  await Promise.all(asking)
  t.diagnostic(`${statuses.length} requests`)
  assert.deepEqual([...new Set(statuses)], [200])
})

/** By the last word of the proxy about each. */
async function downNodes(): Promise<number> {
  const lines = (await logOf('proxy')).split('\n')
  const words = ['server-1', 'server-2'].map((node) =>
    lines.findLast((line) => line.includes(`nodes/${node} is `)),
  )
  return words.filter((word) => word?.includes(' is DOWN')).length
}
