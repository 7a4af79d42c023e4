const words = (name: string): string[] =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .match(/[a-z0-9]+/g) ?? []

/** "Checkout web" becomes `checkout-web`. */
export const slugFor = (name: string): string => words(name).join('-').slice(0, 64).replace(/-$/, '')

/** First letters of several words, or the beginning of one: "Checkout web" is CW, "Billing" is BILL. */
export function prefixFor(name: string): string {
  const found = words(name)
  const letters = found.length > 1 ? found.map((word) => word[0]).join('') : (found[0] ?? '').slice(0, 4)
  return letters
    .toUpperCase()
    .replace(/^[0-9]+/, '')
    .slice(0, 10)
}
