/** Announces guidance without giving any, so that the note has to. */
const announcing = /^(?:request changes|continue with my guidance)\b/i

/** Whether an option says nothing without a note: what "Keep the scope" asks for is clear, "Request changes" is not. */
export const needsGuidance = ({ action, label }: { action: string; label: string }): boolean =>
  action === 'request_changes' && announcing.test(label)

interface Option {
  id: string
  action: string
  label: string
}

/**
 * Whether an answer is empty without a note: guidance has to be given, and an agent that asks without offering answers
 * gets the one that is written in the note.
 */
export const needsNote = (option: Option): boolean =>
  (option.action === 'answer' && option.id === 'note') || needsGuidance(option)

/** What a channel that asks for the note says while there is none. */
export const noteMissing = (option: Option): string =>
  needsGuidance(option)
    ? 'This answer needs a note that says what to change.'
    : 'This answer needs a note: the note is the answer.'
