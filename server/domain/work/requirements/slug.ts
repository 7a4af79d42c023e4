import { randomInt } from 'node:crypto'

const mostWords = 5
const longest = 48
const suffixLength = 5

/** A few words of the text and a suffix, so that the same words twice give two slugs. */
export function newSlug(text: string): string {
  const words =
    text
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? []
  const some = words.slice(0, mostWords).join('-').slice(0, longest).replace(/-$/, '') || 'requirement'
  const suffix = randomInt(36 ** suffixLength)
    .toString(36)
    .padStart(suffixLength, '0')
  return `${some}-${suffix}`
}
