import '../server/quick-start.ts'

/** Fills a data folder with the whole demo, for `template.ts`, and ends early if that has ended. */
const { makeData } = await import('./load/make-data.ts')
process.stdin.on('end', () => process.exit(1)).resume()
await makeData(process.argv[2]!)
process.exit()
