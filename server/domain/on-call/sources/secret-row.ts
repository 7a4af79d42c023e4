/** What a secret of a source is bound to: it opens in this row and in no other. A former secret was the secret once. */
export const secretRow = (sourceId: string): string => `sources ${sourceId} secret`

export const credentialsRow = (sourceId: string): string => `sources ${sourceId} credentials`
