import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

/**
 * Runs scripts of package.json at the same time, and prints what each has to say when it is done. It fails when one
 * of them does, after all of them have been heard.
 */
const [, , ...scripts] = process.argv
await Promise.all(
  scripts.map(async (script) => {
    const child = spawn(process.execPath, ['--run', script], { stdio: ['ignore', 'pipe', 'pipe'] })
    const [out, err, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ])
    process.stdout.write(out)
    process.stderr.write(err)
    if (code === 0) return
    process.stderr.write(`${script} failed.\n`)
    process.exitCode = 1
  }),
)
