import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { playGithub } from './play-github.ts'
import { playGitlab } from './play-gitlab.ts'
import { playJira } from './play-jira.ts'
import { playLinear } from './play-linear.ts'
import { playSlack } from './play-slack.ts'
import { Witness } from './witness.ts'

/** Held against what the tools publish about themselves: what their doubles answer, and what we ask. */

const ending: (() => unknown)[] = []
after(async () => {
  for (const end of ending) await end()
})

const witness = new Witness()
const plays = {
  GitHub: playGithub(witness, ending),
  GitLab: playGitlab(witness, ending),
  Jira: playJira(witness, ending),
  Linear: playLinear(witness, ending),
  Slack: playSlack(witness, ending),
}
/** One program for all of them: reading the descriptions is most of what it costs. */
const complaints = Promise.allSettled(Object.values(plays)).then(() => witness.complaints())

/** Git is held to by git itself; Jira's data center, which has no such description, has these two of its own. */
const isElsewhere = /\\\.git\\\/|^POST .*search\$$|^GET .*2\\\/project\$$/

for (const [tool, play] of Object.entries(plays)) {
  test(`${tool}: what the double answers, and what we ask, is what ${tool}’s own description takes`, async () => {
    await play
    const said = await complaints
    assert.deepEqual(
      said.filter((one) => one.startsWith(tool)),
      [],
    )
  })

  test(`${tool}: no route of the double is left out of that`, async () => {
    const { unplayed } = await play
    assert.deepEqual(
      unplayed.filter((route) => !isElsewhere.test(route)),
      [],
    )
  })
}

test('the compiler has nothing to say that is not about a tool', async () => {
  const tools = Object.keys(plays)
  assert.deepEqual(
    (await complaints).filter((one) => !tools.some((tool) => one.startsWith(tool))),
    [],
  )
})
