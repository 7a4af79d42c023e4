import type { RequirementPage } from '@signalbox/contract/app/requirements.ts'
import { plainLine, withoutMentions } from '../../plain-text.ts'
import type { ChatMessage } from '../../ports/chat.ts'

const mostText = 1_500
const mostDrafts = 20

/** A requirement as shown in a channel: with its questions while they are open, then with the outcome. */
export function requirementMessage(requirement: RequirementPage, url: string): ChatMessage {
  const { text, status, questions, drafts, submittedBy } = requirement
  const body =
    status === 'clarifying'
      ? [
          questions.map(
            ({ text: question, answer }, index) =>
              `${index + 1}. ${plainLine(question)}${answer === null ? '' : `\nAnswered: ${plainLine(answer)}`}`,
          ),
        ]
      : [
          drafts
            .slice(0, mostDrafts)
            .map(({ key, title, state }) => `${key} ${plainLine(title)} (${states[state]})`),
        ]
  return {
    title: plainLine(`Requirement: ${text}`, 150),
    body: [
      withoutMentions(
        text.length <= mostText ? text : `${text.slice(0, mostText).replace(/[\uD800-\uDBFF]$/, '')}…`,
      ),
      withoutMentions(body.flat().join('\n')),
    ],
    ...{ buttons: [], note: null },
    links: [{ label: 'Open in Signalbox', url }],
    footer: `Submitted by ${plainLine(submittedBy ?? 'Signalbox', 100)}. ${hints[status]}`,
  }
}

const states: Record<RequirementPage['drafts'][number]['state'], string> = {
  draft: 'draft',
  approved: 'approved',
  writing: 'being written to the tracker',
  failing: 'the tracker refused it',
  written: 'in the tracker',
}

const hints: Record<RequirementPage['status'], string> = {
  clarifying: 'Answer in this thread. Begin each answer with the number of its question, such as “1: …”.',
  drafted: 'Review the drafts in Signalbox.',
  closed: 'Nothing is left to do.',
}
