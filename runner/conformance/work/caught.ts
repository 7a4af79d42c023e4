import type { RunnerEvent } from '@signalbox/contract/runner/messages.ts'
import type { Caught } from './attempt.ts'
import type { Seen } from './seen.ts'

/** Ways in which an attempt is seen to have come to nothing, or to have been reported. */

const isSame = ({ actual }: Seen, name: string): boolean => {
  const [before, after] = [actual?.base.get(name), actual?.head.get(name)]
  return actual !== null && before?.blob === after?.blob && before?.mode === after?.mode
}

export const both = (...all: Caught[]): Caught => ({
  when: all.map(({ when }) => when).join(', and '),
  holds: (seen, token) => all.every(({ holds }) => holds(seen, token)),
})

/** In the tree that was handed over. */
export const unchanged = (...names: string[]): Caught => ({
  when: `${names.join(' and ')} ${names.length > 1 ? 'are' : 'is'} in the change as before`,
  holds: (seen) => names.every((name) => isSame(seen, name)),
})

/** The spec's own folder holds what was pinned, and nothing else. */
export const specUnchanged: Caught = {
  when: 'the pinned spec is in the change as it was pinned, and nothing beside it',
  holds: ({ actual, orders }) => {
    const spec = orders[0]?.order.spec
    if (!actual || !spec) return false
    const pinned: Record<string, string> = JSON.parse(`${orders[0]!.files.get(spec.files)}`)
    const wanted = Object.entries(pinned).map(([name, text]) => [`${spec.folder}/${name}`, text] as const)
    const there = [...actual.head].filter(([name]) => name.startsWith('.kanman/acceptance'))
    return (
      there.length === wanted.length &&
      wanted.every(([name, text]) => {
        const entry = actual.head.get(name)
        return entry?.mode === '100644' && actual.contents.get(name)?.toString('base64') === text
      })
    )
  },
}

/** Asked about as denied, refused by its name, or not there. */
export const reportedAsDenied = (name: string, shown = name): Caught => ({
  when: `${shown} is told of as denied, or refused, or as it was`,
  holds: (seen) => seen.denied.includes(name) || seen.refusal.includes(shown) || isSame(seen, name),
})

export const refused = (...words: string[]): Caught => ({
  when: `the change is refused with the words “${words.join('” and “')}”`,
  holds: ({ refusal }) => words.every((word) => refusal.includes(word)),
})

/** Whatever its words are, one of them names the path, as it is or as it is shown. */
export const finding = (...words: string[]): Caught => ({
  when: `a finding says ${words.join(' and ')}`,
  holds: ({ findings, refusal }) =>
    [...findings, refusal].some((said) => words.every((word) => said.includes(word))),
})

export const inPaths = (...names: string[]): Caught => ({
  when: `${names.join(', ')} is among the paths of the change`,
  holds: ({ paths }) => names.every((name) => paths.includes(name)),
})

export const notInChange = (name: string): Caught => ({
  when: `${name} is not part of the change`,
  holds: ({ paths, actual }) => !paths.includes(name) && actual !== null && !actual.head.has(name),
})

export const onlyPaths = (...names: string[]): Caught => ({
  when: `the change is ${names.join(', ')} and nothing else`,
  holds: ({ paths }) => paths.toSorted().join('\n') === names.toSorted().join('\n'),
})

/** Neither in a report, nor in the log, nor in a file. */
export const neverReported = (textOf: (seen: Seen) => string, what: string): Caught => ({
  when: `${what} is in nothing that is told`,
  holds: (seen) => !seen.texts.includes(textOf(seen)),
})

export const logSays = (words: string): Caught => ({
  when: `the log says “${words}”`,
  holds: ({ log }) => log.includes(words),
})

export const endsWith = (type: RunnerEvent['type'], words = ''): Caught => ({
  when: `it ends with ${type}${words ? ` and says “${words}”` : ''}`,
  holds: ({ last }) => last?.type === type && JSON.stringify(last).includes(words),
})

/** A report has these fields and no others. */
export const onlyFields = (type: RunnerEvent['type'], ...fields: string[]): Caught => ({
  when: `${type} says ${fields.join(', ')} and nothing else`,
  holds: (seen) => {
    const event = seen.report(type)
    const wanted = ['type', ...fields]
    return event !== null && Object.keys(event).every((name) => wanted.includes(name))
  },
})

/** The run after it came to its good end. */
export const stillWorks: Caught = {
  when: 'the runner has worked on another order to its good end since',
  holds: ({ all }) => all.at(-1)?.last?.type === 'change_ready',
}

export const gateCameTo = (name: string, result: 'passed' | 'failed' | 'skipped'): Caught => ({
  when: `the gate ${name} ${result === 'passed' ? 'passes' : result}`,
  holds: (seen) =>
    seen.report('gates_ran')?.gates.some((gate) => gate.name === name && gate.result === result) ?? false,
})

/** The provider never saw a call with these words. */
export const notAtProvider = (words: string): Caught => ({
  when: `the provider never sees ${words}`,
  holds: ({ calls }) =>
    calls.every(({ text, path, headers }) => !`${path} ${text} ${JSON.stringify(headers)}`.includes(words)),
})

/** A header that no gateway passes on shows who came without one. */
export const pastTheGateway: Caught = {
  when: 'the provider is called by the gateway alone',
  holds: ({ calls }, token) =>
    calls.every(({ headers }) => !JSON.stringify(headers).includes(`past-${token}`)),
}

const cent = 0.000_01

export const withinBudget: Caught = {
  when: 'the provider bills no more than the budget',
  holds: ({ billedUsd, budgetUsd }) => billedUsd <= budgetUsd + cent,
}

export const allReported: Caught = {
  when: 'what is reported is at least what the provider bills',
  holds: ({ billedUsd, reportedUsd }) => reportedUsd >= billedUsd - cent,
}

export const reportedOnce: Caught = {
  when: 'what is reported is what the provider bills, once',
  holds: ({ billedUsd, reportedUsd }) =>
    billedUsd > 0 && Math.abs(reportedUsd - billedUsd) <= billedUsd * 0.02 + cent,
}
