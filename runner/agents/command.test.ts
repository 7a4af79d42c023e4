import assert from 'node:assert/strict'
import { chmodSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { drive, gatewayTo, Site } from '../test/drive.ts'
import { plainBox } from '../test/plain-box.ts'
import { question } from '../test/scenarios.ts'
import { findAgents } from './find.ts'

let site: Site
beforeEach(() => {
  site = new Site()
})
afterEach(() => site[Symbol.dispose]())

/** A program of the operator's, and one turn of it. */
function run(lines: string, turn: Parameters<typeof drive>[3] = {}) {
  const program = path.join(site.home, 'my-agent')
  writeFileSync(program, `#!/bin/sh\n${lines}\n`)
  chmodSync(program, 0o755)
  const [agent] = findAgents({ searchPath: '', choices: [`command=${program} --fast "two words"`] })
  return drive(agent!, plainBox(), site, { prompt: 'Do it.', ...turn })
}

test('a program gets the prompt on standard input and in a file, its task in the environment, and nothing else', async () => {
  process.env.SERVICE_API_KEY = 'tk_secret'
  const { end, events } = await run(
    'echo "$1|$2|$(cat)|$(cat "$SIGNALBOX_PROMPT_FILE")"; echo "$SIGNALBOX_STORY $SIGNALBOX_PURPOSE $SIGNALBOX_MODEL_URL"; echo "key:$SERVICE_API_KEY"; echo yes > "$SIGNALBOX_RESULTS/done"',
    { gateway: gatewayTo('http://127.0.0.1:9') },
  )
  delete process.env.SERVICE_API_KEY
  assert.deepEqual(end, { ended: 'normally' })
  assert.deepEqual(
    events.map((event) => event.type === 'printed' && event.line),
    ['--fast|two words|Do it.|Do it.', 'WEB-1 implement http://127.0.0.1:9', 'key:'],
  )
  assert.equal(readFileSync(path.join(site.out, 'done'), 'utf8'), 'yes\n')
})

test('a script that an interpreter is given is shown to the agent, and found from any folder', () => {
  const script = path.join(site.home, 'agent.sh')
  writeFileSync(script, 'exit 0\n')
  const given = path.relative(process.cwd(), script)
  const [agent] = findAgents({ searchPath: '/usr/bin:/bin', choices: [`command=sh -e ${given}`] })
  assert.equal(agent!.name, 'agent.sh')
  assert.ok(agent!.readable.some((shown) => realpathSync(script).startsWith(shown)))
})

test('exit code 75 asks to be tried again, any other is a failure with its last words', async () => {
  assert.deepEqual(await run('exit 75').then(({ end }) => 'transient' in end && end.transient), true)
  const { end } = await run('echo "cannot read the story" >&2; exit 3')
  assert.deepEqual(end, {
    ...{ ended: 'failed', transient: false },
    error: 'my-agent ended with exit code 3. cannot read the story',
  })
})

test('a question left in the result folder is heard, one that cannot be read is told', async () => {
  const asked = await run(
    `cat > "$SIGNALBOX_RESULTS/question.json" <<'END'\n${JSON.stringify(question)}\nEND`,
  )
  assert.deepEqual(asked.questions, [question])
  const wrong = await run(`echo '{"question": "Why?"}' > "$SIGNALBOX_RESULTS/question.json"`)
  assert.deepEqual(wrong.questions, [])
  assert.ok(
    wrong.events.some(
      (event) => event.type === 'printed' && event.line.startsWith('question.json is not a valid question'),
    ),
  )
})

test('when the gateway has refused a call, the turn ended at a limit', async () => {
  const gateway = { ...gatewayTo('http://127.0.0.1:9'), isExhausted: true }
  assert.equal((await run('exit 0', { gateway })).end.ended, 'limit')
})
