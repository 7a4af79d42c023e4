import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { generatedFiles } from '../../../scripts/generated.ts'
import { factsFile, renderFacts } from '../../../scripts/migration-facts.ts'
import { template } from '../cluster.ts'
import { emptyDatabase } from '../database.ts'

const root = path.join(import.meta.dirname, '..', '..', '..')
const files = {
  ...(await generatedFiles(await emptyDatabase(template))),
  [factsFile]: await renderFacts(await emptyDatabase()),
}

test('what is generated beside statements goes with them', async () => {
  const beside = await Array.fromAsync(glob('server/**/*.types.ts', { cwd: root }))
  assert.deepEqual(
    beside.filter((file) => !Object.hasOwn(files, file)),
    [],
  )
})

for (const [file, text] of Object.entries(files)) {
  test(`${file} is what npm run generate makes of its source`, async () => {
    assert.equal(await readFile(path.join(root, file), 'utf8'), text)
  })
}
