import type { Gate } from '@signalbox/contract/run.ts'
import type { WorkOrder } from '../../server/domain/ports/work.ts'

/** What a scripted worker prints: as much, and in the colours, as an agent and its tools would. */

/** As much of a work order as its printing tells. */
export type Printing = Pick<WorkOrder, 'run' | 'attempt' | 'stage' | 'team' | 'guidance'> & {
  story: Pick<WorkOrder['story'], 'acceptanceCriteria'>
}

const esc = '\u001b['
const green = (text: string) => `${esc}32m${text}${esc}0m`
const red = (text: string) => `${esc}31m${text}${esc}0m`
const yellow = (text: string) => `${esc}33m${text}${esc}0m`
const dim = (text: string) => `${esc}2m${text}${esc}0m`
const bold = (text: string) => `${esc}1m${text}${esc}0m`
const command = (text: string) => bold(`$ ${text}`)

const marks: Record<Gate['result'], string> = { passed: green('✔'), failed: red('✖'), skipped: yellow('○') }

export const secondAgent = dim(
  'A second scripted agent, for races. No program and no language model is used.',
)

export const checkout = (order: Printing, commit: string): string[] => [
  dim(`${order.run}, attempt ${order.attempt}, ${order.stage}`),
  command(`git clone --depth 50 git@git.example.com:halden/${order.team}.git .`),
  `HEAD is now at ${commit.slice(0, 8)}`,
  ...(order.guidance.length > 0 ? [yellow(`guidance: ${order.guidance.at(-1)}`)] : []),
]

export const reading = (folder: string): string[] => [
  command(`ls ${folder}`),
  'index.ts  index.test.ts  README.md',
  command(`rg --count "export" ${folder}`),
  `${folder}/index.ts:7`,
  `read ${folder}/index.ts ${dim('(214 lines)')}`,
  `read ${folder}/index.test.ts ${dim('(96 lines)')}`,
]

export const planning = (plan: string): string[] => ['plan:', ...plan.split('\n').map((line) => `  ${line}`)]

export const failingSpec = (order: Printing): string[] => [
  command('npm test -- .kanman/acceptance'),
  ...order.story.acceptanceCriteria.map(({ id, text }) => `${red('✖')} ${id} ${text}`),
  red(`${order.story.acceptanceCriteria.length} failing`) + dim(', as they should before the change'),
]

export const editing = (folder: string, change: { additions: number; deletions: number }): string[] => [
  `edit ${folder}/index.ts`,
  dim('  @@ the part that the story is about @@'),
  `edit ${folder}/index.test.ts`,
  command('npm run format'),
  dim('Formatted 2 files in 38ms.'),
  command('git diff --stat'),
  ` 2 files changed, ${green(`${change.additions} insertions(+)`)}, ${red(`${change.deletions} deletions(-)`)}`,
]

type Criterion = Printing['story']['acceptanceCriteria'][number]

/** What a criterion’s test would print. It is the criterion’s proof, which leads to this line of the log. */
export const proof = ({ id, text }: Criterion, isPassed: boolean): string =>
  `${isPassed ? '✔' : '✖'} ${id} ${text} (scripted)`

const coloured = (line: string) => (line.startsWith('✔') ? green('✔') : red('✖')) + line.slice(1)

export const testing = (order: Printing, failed: number, failedCriteria: string[] = []): string[] => [
  command('npm ci'),
  dim('added 412 packages in 6s'),
  command('npm run check'),
  'src: no errors',
  command('npm test'),
  ...Array.from({ length: 24 }, (_, index) => {
    const mark = index < failed ? red('✖') : green('✔')
    return `${mark} ${suites[index % suites.length]} › case ${index + 1} ${dim(`(${3 + ((index * 7) % 23)} ms)`)}`
  }),
  failed > 0 ? `${red(`${failed} failed`)}, ${24 - failed} passed` : green('24 passed'),
  command('npm test -- .kanman/acceptance'),
  ...order.story.acceptanceCriteria.map((one) => coloured(proof(one, !failedCriteria.includes(one.id)))),
]

const suites = ['parses', 'keeps its interface', 'refuses what it cannot read', 'is quick enough']

export const gating = (gates: Gate[]): string[] => [
  bold('gates'),
  ...gates.map(({ name, result, summary }) => `${marks[result]} ${name.padEnd(14)} ${summary}`),
]

export const pushing = (order: Printing, commit: string, pull: { number: number; url: string }): string[] => [
  command(`git push origin HEAD:signalbox/${order.run}`),
  `   ${commit.slice(0, 8)}  signalbox/${order.run} -> signalbox/${order.run}`,
  `pull request ${pull.url}`,
]

export const failing = (error: string): string[] => [
  command('agent --continue'),
  yellow('retrying in 2 s (1 of 3)'),
  yellow('retrying in 4 s (2 of 3)'),
  red(`error: ${error}`),
]
