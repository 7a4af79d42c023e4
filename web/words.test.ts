import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { remedies } from '@signalbox/contract/remedy.ts'
import { findIn, root } from './texts.ts'

/** What docs/writing.md has other words for: correct, but not idiomatic. */
const foreign = [
  /\b(somebody|nobody|e-mail|besides|listens(?! on)|meanwhile|in force|of late|work in hand|is at work)\b/i,
  /\b(stands (in|on|here)|(told|tells) of|take back|taken back|this once|persistent failure)\b/i,
  /\b(anew|for ever|told apart|heeded?|opens nothing|taken up)\b/i,
  /\b(former (secret|one)|whoever (runs|made|has)|by (itself|themselves))\b/i,
  /^Made |^Make a |^Show older|^Clear the|^Copy the \w+$|^[\w ]+: owners/,
  /^(All|Every) (teams?|kinds?|status|size|executor|failure)$/,
  /\bGithub\b/,
  /\b(whoever|nobody|of yours|besides|anew|by itself|by themselves|hears? of|heard of)\b/i,
  /\bwaits? for (your|an) answer\b|\bwaits? for (an admin’s )?approval\b|\b(nothing|entry|entries) waits?\b(?! for it)/i,
  /\b(since some time|called wrongly|broke off|(hung|hangs?) up|own accord|came of it|(became|come) of (it|them))\b/i,
  /\b(not|be|is|are) let through\b|\b(it is|is then) tried again\b|\b(was|were) begun\b|\b(not|be) looked (at|into)\b/i,
  /\bdoes not fit (the|its|X-)|\bin other words neither\b|\b(a|an) [\w ]{3,20} is wanted\b/i,
  /\bexpedite fix/i,
  /\bat Git(Hub|Lab)\b|\b(is|are) wanted next\b|\bI have (saved|copied|installed)\b/i,
]

/**
 * Suspects on a screen, in an error or in a terminal. “Stands out”, “as it stands”, “keeps working”, “keeps it from”
 * and “there is no file” are idiomatic; “this is no file” is not.
 */
const suspects =
  /(?<!\bas it )\bstands\b(?! out)|\bkeeps\b(?! (\w+ing|(\w+ ){1,2}from|them up|its)\b)|(?<!\bthere )\bis no (?!longer\b|more\b|one\b)\w/i

/** Names of the server's settings, for people who cannot set them. */
const setting = /\b[A-Z]{2,}(_[A-Z]{2,})+\b/

/** What people have to type themselves, and what is written in the log of changes, is as it is. */
const allowed = new Set(['SERVICE_API_KEY', 'e-mail refused', 'former secret ended'])

/** Of these, what a comment may not say either. `listen` and the like are terms there. */
const foreignInComments =
  /\b(nobody|somebody|whoever|anew|for ever|besides|meanwhile|told apart|heeded?|taken back|own accord|e-mail|in force|by itself|by themselves)\b|\bst(ands?|ood) (in|on)\b|\b(tells?|told) of\b|\b(beca|ca|beco)me of (it|them)\b/i

const isForeign = (text: string) => !allowed.has(text) && foreign.some((words) => words.test(text))
const isSuspect = (text: string) => isForeign(text) || (suspects.test(text) && !allowed.has(text))
const namesSetting = (text: string) =>
  setting.test(text) && !allowed.has(setting.exec(text)![0]) && !Object.hasOwn(remedies, text)

test('no text of a screen has a word that docs/writing.md replaces', async () => {
  assert.deepEqual(await findIn('web/src', isSuspect), [])
})

test('no screen names a setting of the server to people who cannot set it', async () => {
  assert.deepEqual(await findIn('web/src', namesSetting), [])
})

/** One may begin with what is put in, and a line of a log is a sentence in lower case. */
const isSentence = (text: string) =>
  /^(['“]?[A-Z]|… ?[a-z])[^<>=]* [^<>=]*$/.test(text) ||
  /^[`a-z][^<>={}|]*[a-z]+ [a-z]+[^<>={}|]*$/.test(text)

test('what the server says to people keeps to the same words', async () => {
  const found: string[] = []
  const folders = ['server/domain', 'server/faces', 'server/integrations', 'server/app', 'server/commands']
  for (const folder of [...folders, 'server/infra', 'contract', 'scripts', 'client', 'cli'])
    found.push(...(await findIn(folder, (text) => isSentence(text) && isSuspect(text))))
  assert.deepEqual(found, [])
})

test('so does the runner, in its terminal, in its reports and to agents', async () => {
  const said = (await findIn('runner', (text) => isSentence(text) && isSuspect(text))).filter(
    (one) => !one.startsWith('runner/conformance/'),
  )
  assert.deepEqual(said, [])
})

test('the demo is written in the same words', async () => {
  assert.deepEqual(await findIn('demo', (text) => isSentence(text) && isSuspect(text)), [])
})

test('the README, the manual and the tables of settings and errors are written in the same words', async () => {
  const pages = (await readdir(path.join(root, 'docs/manual'), { recursive: true }))
    .filter((file) => file.endsWith('.md'))
    .map((file) => path.join('docs/manual', file))
  const found: string[] = []
  for (const page of ['README.md', 'docs/configuration.md', 'docs/errors.md', ...pages]) {
    const prose = (await readFile(path.join(root, page), 'utf8')).replaceAll(/```.*?```|`[^`]*`/gs, '`')
    for (const line of prose.split('\n')) if (isSuspect(line)) found.push(`${page}: ${line.slice(0, 120)}`)
  }
  assert.deepEqual(found, [])
})

test('so are comments in the code', async () => {
  const sources = execFileSync('git', ['ls-files', '*.ts', '*.tsx'], { cwd: root, encoding: 'utf8' })
  const found: string[] = []
  for (const source of sources.trim().split('\n')) {
    if (!existsSync(path.join(root, source))) continue
    for (const line of (await readFile(path.join(root, source), 'utf8')).split('\n')) {
      const [comment] = /(^\s*|\s)\/\/ .*$|^\s*(\/\*\*?|\*) .*$|\{\/\* .*$/.exec(line) ?? []
      if (comment && foreignInComments.test(comment)) found.push(`${source}: ${line.trim()}`)
    }
  }
  assert.deepEqual(found, [])
})
