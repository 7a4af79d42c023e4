import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { completionScript } from './completion-script.ts'
import { eventsOf } from './event-stream.ts'
import { kindOfKey } from './kind-of-key.ts'
import { peopleCommands } from './people-commands.ts'

/** What bash offers after these words. */
function offered(...words: string[]): string[] {
  const script = `${completionScript('bash', peopleCommands)}
COMP_WORDS=(signalbox ${words.map((word) => `'${word}'`).join(' ')})
COMP_CWORD=${words.length}
_signalbox
printf '%s\\n' "\${COMPREPLY[@]}"`
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).split('\n').filter(Boolean)
}

test('bash completes commands, what follows them and their options', () => {
  assert.deepEqual(offered('in'), ['inbox', 'incidents'])
  assert.deepEqual(offered('incidents', 'a'), ['ack'])
  assert.deepEqual(offered('answer', '--'), ['--note', '--json', '--help'])
  assert.deepEqual(offered('completion', 'f'), ['fish'])
  assert.deepEqual(offered('nonsense', ''), [])
})

test('zsh and fish are given every command with what it is for', () => {
  const [zsh, fish] = [completionScript('zsh', peopleCommands), completionScript('fish', peopleCommands)]
  for (const [word, { about }] of peopleCommands) {
    assert.ok(zsh.includes(`'${word}:${about.replaceAll("'", '')}'`), word)
    assert.ok(fish.includes(`-a ${word} -d '${about.replaceAll("'", '')}'`), word)
  }
})

const isInstalled = (shell: string) => spawnSync(shell, ['-c', 'exit']).status === 0

test('zsh takes the script with and without completions turned on before', {
  skip: !isInstalled('zsh') && 'there is no zsh',
}, async (t) => {
  const ZDOTDIR = await mkdtemp(path.join(tmpdir(), 'signalbox-zsh-'))
  t.after(() => rm(ZDOTDIR, { recursive: true, force: true }))
  const script = path.join(ZDOTDIR, 'script')
  await writeFile(script, completionScript('zsh', peopleCommands))
  for (const before of ['', 'autoload -Uz compinit; compinit -i; ']) {
    const said = execFileSync('zsh', ['-fc', `${before}source ${script}; print $_comps[signalbox]`], {
      env: { ...process.env, ZDOTDIR },
      encoding: 'utf8',
    })
    assert.equal(said, '_signalbox\n')
  }
})

test('fish completes commands, options, and files where a file is named', {
  skip: !isInstalled('fish') && 'there is no fish',
}, async (t) => {
  const cwd = await mkdtemp(path.join(tmpdir(), 'signalbox-fish-'))
  t.after(() => rm(cwd, { recursive: true, force: true }))
  await writeFile(path.join(cwd, 'acme.yaml'), '')
  await writeFile(path.join(cwd, 'script'), completionScript('fish', peopleCommands))
  const offers = (line: string) =>
    execFileSync('fish', ['-c', `source script; complete -C '${line}'`], {
      cwd,
      env: { ...process.env, HOME: cwd },
      encoding: 'utf8',
    })
  assert.match(offers('signalbox in'), /^inbox\t.*\nincidents\t/)
  assert.doesNotMatch(offers('signalbox runs '), /acme/)
  assert.match(offers('signalbox diff -f '), /acme\.yaml/)
})

test('events are read however the stream is cut', async () => {
  const text =
    ': hello\n\nid: 4\nevent: lines\ndata: {"a":\ndata: 1}\n\ndata: é\r\ndata: ü\r\n\r\nevent: lost\ndata: x'
  const bytes = new TextEncoder().encode(text)
  for (const size of [1, 7, bytes.length]) {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size))
        controller.close()
      },
    })
    assert.deepEqual(await Array.fromAsync(eventsOf(body)), [
      { event: 'lines', data: '{"a":\n1}', id: '4' },
      { event: 'message', data: 'é\nü', id: '4' },
    ])
  }
})

test('a key says what it is the key of', () => {
  assert.deepEqual(['dec-k3x9', 'run-7k2q', 'inc-4m8t', 'WEB-12'].map(kindOfKey), [
    ...['decision', 'run', 'incident', 'story'],
  ])
  assert.throws(() => kindOfKey('dec-k3x99'), /is not a key/)
})
