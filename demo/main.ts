import '../server/quick-start.ts'

const { begin } = await import('./begin.ts')
const { orExplain } = await import('../server/commands/or-explain.ts')
await orExplain(begin(process.argv.slice(2)))
