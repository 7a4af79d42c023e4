// As `contract/keys.ts` writes them: run-7k2q, WEB-12.
const key =
  /(?<![\w-])((?:run|dec|inc)-[a-z0-9]{4}(?:[a-z0-9]{2})?|[A-Z][A-Z0-9]{0,9}-[1-9][0-9]{0,8})(?![\w-])/

/** A text in parts: what is between keys, a key, and so on in turns. A key is not broken at its hyphen. */
export const keysIn = (text: string): string[] => text.split(key)
