/** Announces guidance without giving any, so that the note has to. */
const announcing = /^(?:request changes|continue with my guidance)\b/i

/** Whether an option says nothing without a note: what "Keep the scope" asks for is clear, "Request changes" is not. */
export const needsGuidance = ({ action, label }: { action: string; label: string }): boolean =>
  action === 'request_changes' && announcing.test(label)
