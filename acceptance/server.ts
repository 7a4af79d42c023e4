import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { after } from 'node:test'
import { scriptOf, temporaryFolder, until } from './demo.ts'

/** The product as one runs it for oneself: empty, by what `npm start` runs once all is built. */
export interface Server {
  url: string
  /** What `npm start` prints on a new installation. */
  setupCode: string
}

const running: ChildProcess[] = []
after(async () => {
  for (const command of running.splice(0)) {
    if (command.exitCode !== null) continue
    process.kill(-command.pid!, 'SIGINT')
    await once(command, 'exit')
  }
})

export async function startServer(env: Record<string, string> = {}): Promise<Server> {
  const command = spawn(process.execPath, scriptOf('start'), {
    cwd: path.resolve(import.meta.dirname, '..'),
    env: { ...process.env, PORT: '0', OPERATOR_PORT: 'off', DATA_DIR: await temporaryFolder(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  running.push(command)
  let printed = ''
  for (const pipe of [command.stdout, command.stderr])
    pipe.on('data', (chunk) => {
      printed += chunk
    })
  const line = /(https?:\/\/\S+)\/setup\?code=([\w-]+)/
  await until('the server says where it is set up', () => line.test(printed))
  const [, url, setupCode] = line.exec(printed)!
  return { url: url!, setupCode: setupCode! }
}
