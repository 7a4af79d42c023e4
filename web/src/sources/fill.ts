export interface Filled {
  url: string
  /** Null when it is not at hand: it is shown once. */
  secret: string | null
}

/** A step's code with the address and the secret in their places. */
export const fill = (code: string, { url, secret }: Filled): string =>
  code
    .replaceAll('{url}', url)
    .replaceAll('{key}', `${url}?key=${secret ? encodeURIComponent(secret) : 'SECRET'}`)
    .replaceAll('{secret}', secret ?? 'SECRET')

/** A command with the address and the secret in front: it reads them as $URL and $SECRET. */
export const fillCommand = (command: string, { url, secret }: Filled): string =>
  [`URL='${url}'`, `SECRET='${secret ?? 'your secret'}'`, command].join('\n')
