import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatImageName } from '@signalbox/contract/image.ts'
import fc from 'fast-check'
import { DevcontainerError, readDevcontainer, withoutComments } from './devcontainer.ts'

const read = (text: string) => readDevcontainer('.devcontainer.json', text)

test('the image of a devcontainer.json is read as editors write it: with comments and commas at the end', () => {
  const found = read(`\ufeff// For the editor
{
  /* the "image" */
  "name": "a // b, }",
  "image": "mcr.microsoft.com/devcontainers/base:bookworm", // not http://elsewhere
  "containerEnv": { "PLAIN": "yes", "SAID": "a,]", "OTHER": "\${localEnv:HOME}", },
  "remoteEnv": { "PLAIN": "again" },
  "features": {},
  "postCreateCommand": "make",
  "forwardPorts": [3000, /* one */ ],
}`)
  assert.equal(formatImageName(found.image), 'mcr.microsoft.com/devcontainers/base:bookworm')
  assert.deepEqual(found.environment, { PLAIN: 'again', SAID: 'a,]' })
  assert.deepEqual(found.ignored, ['postCreateCommand', 'forwardPorts', 'containerEnv.OTHER'])
})

test('one that builds, composes or adds features is refused with what helps', () => {
  for (const [text, why] of [
    ['{"build": {"dockerfile": "Dockerfile"}}', /builds its image \(`build`\).*Build the image in CI/],
    ['{"dockerFile": "Dockerfile"}', /builds its image/],
    ['{"dockerComposeFile": "compose.yml", "image": "node"}', /Docker Compose/],
    ['{"image": "node", "features": {"ghcr.io/devcontainers/features/go:1": {}}}', /adds features/],
    ['{}', /names no image/],
    ['[]', /not a JSON object/],
    ['{"image": "$(IMAGE)"}', /not an image name/],
    ['{"image": 3}', /not an image name/],
    ['{"image": "node"', /can’t be read/],
  ] as const)
    assert.throws(
      () => read(text),
      (error: Error) => error instanceof DevcontainerError && why.test(error.message),
      text,
    )
})

test('what is JSON already stays what it is', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value)
      assert.deepEqual(JSON.parse(withoutComments(text)), JSON.parse(text))
    }),
  )
})
