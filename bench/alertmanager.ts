import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const program = ['prometheus-alertmanager', 'alertmanager']
  .flatMap((name) => (process.env.PATH ?? '').split(path.delimiter).map((folder) => path.join(folder, name)))
  .find((file) => existsSync(file))

/** A receiver that notifies no one, and groups that do not come to an end while it is measured. */
const configuration = `
route:
  receiver: nobody
  group_by: ['...']
  group_wait: 1h
receivers:
  - name: nobody
`

/** A real Alertmanager with nothing to send; null where none is installed (Debian: prometheus-alertmanager). */
export async function startAlertmanager(): Promise<{ url: string; stop(): Promise<void> } | null> {
  if (!program) return null
  const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-bench-alertmanager-'))
  await writeFile(path.join(folder, 'alertmanager.yml'), configuration)
  const url = `http://127.0.0.1:${await freePort()}`
  const child = spawn(
    program,
    [
      `--config.file=${path.join(folder, 'alertmanager.yml')}`,
      `--storage.path=${path.join(folder, 'data')}`,
      `--web.listen-address=${new URL(url).host}`,
      '--cluster.listen-address=',
      '--log.level=error',
    ],
    { stdio: 'ignore' },
  )
  const end = () => child.kill()
  process.on('exit', end)
  while (!(await fetch(`${url}/-/ready`).catch(() => null))?.ok) await sleep(50)
  return {
    url: `${url}/api/v2/alerts`,
    async stop() {
      process.off('exit', end)
      child.kill()
      await once(child, 'exit')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}
