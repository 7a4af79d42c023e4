import type { Scripts } from '../../../runner/test/model/script.ts'
import { question } from '../../../runner/test/scenarios.ts'

/** Each story by a word of its title. */
export const words = {
  edit: 'scenario-edit',
  question: 'scenario-question',
  budget: 'scenario-budget',
  cancel: 'scenario-cancel',
} as const

/** Of the prompt in which the runner gives the work itself, and no other. */
export const work = '/out/scope.json'

/** Of the prompt in which the runner passes on what a person has answered. */
export const answered = `Answer to "${question.question}"`

/** Too long to wait for, and found among all processes by its number. */
export const sleep = `sleep ${90_000 + (process.pid % 10_000)}`

const plan = { plan: 'Write greeting.txt.', paths: ['greeting.txt'], risk: 'low', lines: 1 }
/** Red where there is no greeting, whatever the story is called. */
const spec = {
  command: 'for check in .kanman/acceptance/*/greeting.sh; do sh "$check" || exit 1; done',
  files: ['greeting.sh'],
}
const check = [
  `test -f greeting.txt && echo 'ok 1 - ac-1 the file is there' || exit 1`,
  `head -n 1 greeting.txt | grep -q '^Hello' && echo 'ok 2 - ac-2 it begins with Hello'`,
].join('\n')

/** What each story that is merged leaves in main. */
export const greetings = { edit: 'Hello.', question: 'Hello, in euros.' } as const
const greet = (greeting: string) => ({ shell: `echo '${greeting}' > greeting.txt` })

/**
 * What the model does with each prompt that the runner writes; the first word that a prompt has counts. Where the
 * worktree lies in the box is the runner's own affair, so a shell writes there, beside itself.
 */
export const scripts: Scripts = {
  '/out/plan.json': [
    { shell: 'git status --short' },
    { write: '/out/plan.json', text: JSON.stringify(plan) },
    { say: 'The plan is written.' },
  ],
  '/out/acceptance/': [
    { shell: 'mkdir -p /out/acceptance' },
    { write: '/out/acceptance/greeting.sh', text: check },
    { write: '/out/acceptance/manifest.json', text: JSON.stringify(spec) },
    { say: 'The spec is written.' },
  ],
  [answered]: [greet(greetings.question), { say: 'The greeting is there.' }],
  // The last to be played comes first: some agents tell their model of the commits in main, and so of stories before.
  // Twice, because one agent lets a command go on behind it; with something before, because another refuses a bare one.
  [words.cancel]: Array.from({ length: 2 }, () => ({ shell: `echo running > /out/running; ${sleep}` })),
  // More than any budget of these lasts for; each another one, because some agents stop at what looks like a circle.
  [words.budget]: Array.from({ length: 200 }, (_, at) => ({ shell: `echo step ${at} >> greeting.txt` })),
  [words.question]: [{ ask: question, file: '/out/question.json' }, { say: 'I wait for an answer.' }],
  [words.edit]: [greet(greetings.edit), { shell: 'cat greeting.txt' }, { say: 'The greeting is there.' }],
}

/** What a token of an answer costs: so much that a small budget is soon used up, whatever the input is counted as. */
const usdPerOutput = 0.00025
const usdPerInput = 0.000000001

/** The operator's own price table, for whatever model an agent asks for. */
export const prices = ['anthropic', 'openai', 'google'].map((id) => ({
  ...{ id, name: id, api_pattern: '.*' },
  models: [
    {
      ...{ id: `any-${id}`, match: { regex: '.*' } },
      prices: {
        input_mtok: usdPerInput * 1e6,
        cache_read_mtok: usdPerInput * 1e6,
        cache_write_mtok: usdPerInput * 1e6,
        output_mtok: usdPerOutput * 1e6,
      },
    },
  ],
}))

/** What a provider with these prices bills. */
export const billedFor = ({ input, output }: { input: number; output: number }): number =>
  input * usdPerInput + output * usdPerOutput
