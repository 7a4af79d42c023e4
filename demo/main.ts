import '../server/quick-start.ts'
import '../server/small-heap.ts'
import {
  type CommandLine,
  readArguments,
  usualOptions,
  writeAnswer,
} from '@signalbox/contract/command-line.ts'
import { version } from '../server/app/version.ts'

const line = {
  usage: `Usage: npm run demo -- [--port N] [--data DIR] [--no-runner]

Serves the demo until SIGINT or SIGTERM: two made-up companies, their tools and a runner.

  --port N     the port (4400); 0 takes one that is free
  --data DIR   the data folder (data/demo)
  --no-runner  starts no runner beside it
${usualOptions}`,
  options: { port: { type: 'string' }, data: { type: 'string' }, 'no-runner': { type: 'boolean' } },
} as const satisfies CommandLine

const read = readArguments(process.argv.slice(2), line, version)
if ('answer' in read) writeAnswer(read.answer)
else {
  const { begin } = await import('./begin.ts')
  const { orExplain } = await import('../server/commands/or-explain.ts')
  await orExplain(begin(read.values))
}
