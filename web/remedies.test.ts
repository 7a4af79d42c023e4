import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { asksFor, type RemedySetting, remedies, remedyIn } from '@signalbox/contract/remedy.ts'
import { root, textsIn } from './texts.ts'

/** Everything that people read and that can refuse something. */
const folders = [
  'server/domain',
  'server/faces',
  'server/integrations',
  'server/infra',
  'runner',
  'web/src',
  'contract',
]

const texts = (await Promise.all(folders.map(textsIn))).flat()

/** Settings by name, as the manual lists them. */
const manual = {
  server: await readFile(path.join(root, 'docs', 'configuration.md'), 'utf8'),
  runner: await readFile(path.join(root, 'docs', 'manual', 'runner.md'), 'utf8'),
}
const names = [
  ...Object.values(manual)
    .join('\n')
    .matchAll(/^\| `([A-Z]+_[A-Z_]+|--[a-z-]+)` \|/gm),
].map(([, name]) => name!)
const isWord = (text: string) => /[a-z]{2,} [a-z]{2,}/.test(text)
const anyName = new RegExp(`(?<![\\w-])(${names.join('|')})(?![\\w-])`)
const namesSetting = (text: string) => isWord(text) && anyName.test(text)
const namesOperator = (text: string) => /\boperators?\b|who runs (it|the|this)/i.test(text)

/** What is no refusal that a setting can change, by where it stands, with why. */
const exceptions: [where: string, why: string][] = [
  ['contract/remedy.ts', 'the remedies themselves'],
  ['server/domain/record/seals/verify-workspace.ts', 'a command, no setting'],
  ['web/src/audit/verification.tsx', 'the same'],
  ['server/domain/on-call/services/settings.ts', 'access that git is given on the machine, no setting'],
  ['server/integrations/splitters/language-model.ts', 'a model that fails is connected already'],
  ['server/domain/work/evidence/pack.ts', 'a file that the operator has, no setting'],
  ['web/src/audit/audit.tsx', 'the same'],
  ['web/src/members/members.tsx: Ask another owner', 'a command, no setting'],
  ['server/faces/operator/', 'read by the operator alone'],
  ['server/domain/record/seals/check-timestamps.ts', 'the same: what verify-audit prints'],
  ['server/domain/record/months/', 'the same: what doctor and the log say'],
  ['server/domain/installation/', 'the same: the System page and doctor, each finding with its remedy'],
  ['server/infra/backup/', 'the same: the commands backup and restore'],
  ['server/domain/accounts/invitations/invite.ts: A workspace can invite', 'a command, no setting'],
  ['web/src/account/sessions.tsx: Sessions end', 'no refusal'],
  ['server/infra/secrets.ts', 'an error of the installation, in the log of the operator alone'],
  ['server/infra/db/', 'ends the start of the server, read by the operator alone'],
  [
    'server/faces/sign-in/auth.ts: This server cannot send email',
    'a link that the operator makes by command',
  ],
  ['web/src/sign-in/', 'the same'],
  ['web/src/runners/connect.tsx', 'what a checkout has not built'],
  ['web/src/workspaces/installation-integrations.tsx: Set by', 'a heading'],
  ['web/src/members/invitations.tsx', 'who invited someone'],
  ['contract/audit-details.ts: operator', 'who took a backup'],
  ['runner/build.ts', 'the README of the package'],
  ['runner/config.ts', 'the command line of the runner, read by who starts it'],
  ['runner/main.ts', 'the same'],
  ['runner/agents/find.ts', 'the same'],
  ['runner/box/', 'the same'],
  ['runner/identity/', 'the same'],
  ['runner/session/', 'the same'],
  ['runner/protocol/', 'the same'],
  ['runner/doctor/', 'the same; each finding has its remedy'],
  ['runner/gateway/', 'no setting lets it through'],
  ['runner/conformance/', 'holds other runners to the protocol'],
]

test('a refusal that a setting can change ends with the remedy of contract/remedy.ts, and names it nowhere by hand', async () => {
  const found = texts
    .filter(({ text }) => namesOperator(text) || namesSetting(text))
    .map(({ file, text }) => `${file}: ${text.slice(0, 120)}`)
  const unknown = found.filter((one) => !exceptions.some(([where]) => one.startsWith(where)))
  assert.deepEqual(unknown, [])
  for (const [where] of exceptions)
    assert.ok(
      found.some((one) => one.startsWith(where)),
      `${where} is no exception any more`,
    )
})

test('every remedy is used, and its link leads to a row of the manual', async () => {
  for (const setting of Object.keys(remedies) as RemedySetting[]) {
    const uses = texts.filter(({ file, text }) => text === setting && file !== 'contract/remedy.ts')
    assert.ok(uses.length > 0, `no refusal asks for ${setting}`)
    const { of, doc } = remedyIn(asksFor(setting, 'x'))!
    assert.equal(doc, of === 'server' ? `/docs/configuration#${setting}` : `/docs/runner#${setting}`)
    assert.ok(manual[of].includes(`| \`${setting}\` |`), `${setting} has no row`)
  }
})
