import { enableCompileCache } from 'node:module'
import path from 'node:path'

// As in server/main.ts: types are taken out once, of whatever is loaded from here on.
enableCompileCache(path.join(import.meta.dirname, '..', 'node_modules', '.cache', 'compile'))

const { begin } = await import('./begin.ts')
const { orExplain } = await import('../server/commands/or-explain.ts')
await orExplain(begin(process.argv.slice(2)))
