import { readFile } from 'node:fs/promises'
import path from 'node:path'

/** How the product is started from the outside: what is typed, and what surrounds it. */

export const repository = path.resolve(import.meta.dirname, '..')
const { scripts } = JSON.parse(await readFile(path.join(repository, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
}
/** What `npm run` would give to node, for where its looking whether all is built is not what a test is about. */
export const scriptOf = (name: string): string[] => scripts[name]!.split(' ').slice(1)

// What surrounds the tests (a database of the developer's own, the test runner) must not reach the product.
const foreign =
  /^(DATABASE_|PORT$|HOST$|PUBLIC_URL|SIGNAL|DATA_DIR|SECRET_KEY|TLS_|TRUST_PROXY|OPERATOR_PORT|RATE_LIMIT|LOG_LEVEL|DEMO_|NODE_)/

export const environment = (extra: Record<string, string>): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name))),
  ...extra,
})

/** Enough for every test that is not about the limit. */
export const unlimited = { RATE_LIMIT_PER_MINUTE: '1000000' }

/** For tests that look at what should not move: as slow as it goes. */
export const calm = { DEMO_PACE: '0.1' }
