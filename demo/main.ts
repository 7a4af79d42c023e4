import { enableCompileCache } from 'node:module'
import path from 'node:path'

// As in server/main.ts: types are taken out once, of whatever is loaded from here on.
enableCompileCache(path.join(import.meta.dirname, '..', 'node_modules', '.cache', 'compile'))

const [{ orExplain }, { serveDemo }] = await Promise.all([
  import('../server/commands/or-explain.ts'),
  import('./serve.ts'),
])
await orExplain(serveDemo(process.argv.slice(2)))
