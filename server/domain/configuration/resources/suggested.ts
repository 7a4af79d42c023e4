/** A name in a file, from what people call something. */
export const suggestedName = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .split(/[^a-z0-9]/)
    .filter(Boolean)
    .join('-')
    .slice(0, 60)
