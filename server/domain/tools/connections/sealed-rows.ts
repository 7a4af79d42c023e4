/** What a secret of a connection is bound to: it opens in this row and in no other. */
export const credentialsRow = (id: string): string => `connections ${id} credentials`
export const webhookSecretRow = (id: string): string => `connections ${id} webhook secret`
export const hookTokenRow = (id: string): string => `connections ${id} hook token`
