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
  /** Ctrl-C, and the same again with more in its environment: as an operator does who is told to. */
  restart: (env: Record<string, string>) => Promise<void>
}

const running: ChildProcess[] = []
after(async () => {
  for (const command of running.splice(0)) await stop(command)
})

export async function startServer(env: Record<string, string> = {}): Promise<Server> {
  const kept = { OPERATOR_PORT: 'off', DATA_DIR: await temporaryFolder(), ...env }
  const first = launch({ PORT: '0', ...kept })
  const line = /(https?:\/\/\S+)\/setup\?code=([\w-]+)/
  await until('the server says where it is set up', () => line.test(first.printed()))
  const [, url, setupCode] = line.exec(first.printed())!
  return {
    url: url!,
    setupCode: setupCode!,
    async restart(more) {
      await stop(running.splice(running.indexOf(first.command), 1)[0]!)
      first.command = launch({ ...kept, ...more, PORT: new URL(url!).port }).command
      await until('the server is back', () =>
        fetch(url!).then(
          ({ ok }) => ok,
          () => false,
        ),
      )
    },
  }
}

function launch(env: Record<string, string>): { command: ChildProcess; printed: () => string } {
  const command = spawn(process.execPath, scriptOf('start'), {
    cwd: path.resolve(import.meta.dirname, '..'),
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  running.push(command)
  let printed = ''
  for (const pipe of [command.stdout, command.stderr])
    pipe.on('data', (chunk) => {
      printed += chunk
    })
  return { command, printed: () => printed }
}

async function stop(command: ChildProcess): Promise<void> {
  if (command.exitCode !== null || command.signalCode !== null) return
  process.kill(-command.pid!, 'SIGINT')
  await once(command, 'exit')
}
