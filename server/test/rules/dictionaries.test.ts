import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { dictionary } from '@signalbox/contract/dictionary.ts'

const root = path.join(import.meta.dirname, '..', '..', '..')

/** Asked only with words of ours. */
const ours = ['contract/dictionary.ts', 'server/quick-start.ts', 'server/infra/db/embedded.ts']

test('a table that is asked with any text has no prototype', () => {
  const files = globSync(['{contract,client,cli,server,runner}/**/*.ts'], {
    cwd: root,
    exclude: ['**/node_modules', '**/*.test.ts', 'server/test/**', 'runner/test/**', 'runner/dist/**'],
  })
  const bare = files
    .filter((file) => !ours.includes(file))
    .flatMap((file) =>
      readFileSync(path.join(root, file), 'utf8')
        .split('\n')
        .filter((line) => /(?:const|let) \w+: (?:Readonly<|Partial<)*Record<string,.*= \{/.test(line))
        .map((line) => `${file}: ${line.trim()} Use dictionary().`),
    )
  assert.deepEqual(bare, [])
})

/** `name in table` also finds what every object has. What is written out on the left is ours. */
const asks =
  /(?:[(!]|=> |&& |\|\| |\? |return )\(?(?!const |let )[a-zA-Z]\w*(?:\.\w+)* in #?[a-zA-Z]\w*(?:\.\w+)*(?:\)|$| &&| \|\|| \?|,)/

test('whether a table has a name is asked of the table alone', () => {
  const files = globSync(['{contract,client,cli,server,runner}/**/*.ts', 'web/src/**/*.{ts,tsx}'], {
    cwd: root,
    exclude: ['**/node_modules', '**/*.test.ts', 'server/test/**', 'runner/test/**', 'runner/dist/**'],
  })
  const found = files.flatMap((file) =>
    readFileSync(path.join(root, file), 'utf8')
      .split('\n')
      .filter((line) => asks.test(line) && !/^\s*(?:\*|\/\/)/.test(line))
      .map((line) => `${file}: ${line.trim()} Use Object.hasOwn().`),
  )
  assert.deepEqual(found, [])
})

test('a dictionary knows what it was given, and nothing else', () => {
  const known = dictionary({ here: 1 })
  assert.equal(known.here, 1)
  for (const word of ['constructor', '__proto__', 'toString', 'hasOwnProperty'])
    assert.equal(known[word], undefined)
  known['__proto__'.slice(0)] = 2
  assert.deepEqual(Object.entries(known), [
    ['here', 1],
    ['__proto__', 2],
  ])
})
