const money = (cents) => (cents / 100).toFixed(2)

/** The lines of a receipt, from the top. */
export function receipt({ items }) {
  const total = items.reduce((sum, { cents }) => sum + cents, 0)
  const lines = items.map(({ name, cents }) => `${name} ${money(cents)}`)
  return [...lines, `Total ${money(total)}`].join('\n')
}
