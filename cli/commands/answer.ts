import type { Decision } from '@signalbox/client'
import type { Asked } from '@signalbox/contract/command-line.ts'
import { needsNote, noteMissing } from '@signalbox/contract/note-needed.ts'
import { CommandError } from '../command-error.ts'
import type { answerLine } from '../command-lines.ts'
import { connect } from '../connect.ts'
import { kindOfKey } from '../kind-of-key.ts'
import { colour } from '../terminal/colour.ts'
import { oneLine, print, printJson } from '../terminal/print.ts'

export async function run({ values, positionals }: Asked<typeof answerLine>): Promise<void> {
  const [key, word] = positionals as [string, string]
  if (kindOfKey(key) !== 'decision')
    throw new CommandError(`${key} is not a decision. Decisions look like dec-k3x9.`, 'usage')
  const client = await connect()
  const option = optionOf(await client.readDecision({ decision: key }), word)
  const { note } = values
  if (!note?.trim() && needsNote(option))
    throw new CommandError(`${noteMissing(option)} Add it with --note.`, 'usage')
  const answered = await client.resolveDecision({
    ...{ decision: key, optionId: option.id },
    ...(note === undefined ? {} : { note }),
  })
  if (values.json) return printJson(answered)
  print(`${colour('green', key)} answered: ${oneLine(option.label)}`)
  for (const { message } of answered.effects) print(`  ${oneLine(message)}`)
}

/** By its number, or by its id. */
function optionOf({ key, options }: Decision, word: string): Decision['options'][number] {
  const found = options.find(({ id }) => id === word) ?? options[Number(word) - 1]
  if (found) return found
  const offered = options.map(({ label }, index) => `${index + 1} ${oneLine(label)}`).join(', ')
  throw new CommandError(`${key} has no option "${word}". It has: ${offered}.`, 'usage')
}
