import { startDemo } from './demo.ts'

process.on('exit', (c) => process.stderr.write(`exit event ${c}\n`))
const d = await startDemo()
process.stderr.write(`started ${d.pid}\n`)
throw new Error('top level')
