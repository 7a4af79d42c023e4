// Runs inside of the box, before the program: leads ports of the loopback to sockets that the runner has bound in.
// forward.mjs PORT=SOCKET… -- COMMAND…
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import net from 'node:net'

const split = process.argv.indexOf('--')
const ways = process.argv.slice(2, split)
const [program, ...args] = process.argv.slice(split + 1)

for (const way of ways) {
  const [port, socket] = way.split('=')
  const server = net.createServer((from) => {
    const to = net.connect(socket)
    from.pipe(to).pipe(from)
    from.on('error', () => to.destroy())
    to.on('error', () => from.destroy())
  })
  server.listen(Number(port), '127.0.0.1')
  await once(server, 'listening')
}

const child = spawn(program, args, { stdio: 'inherit' })
for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, () => child.kill(name))
child.on('error', (error) => {
  process.stderr.write(`${program}: ${error.message}\n`)
  process.exit(127)
})
child.on('exit', (code, signal) => process.exit(signal ? 128 + 9 : code))
